// The presentation: two views in large type fill the window below texts and prediction, with nothing to scroll.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { createFrame } from "../shared/full_window.js";
import { remember } from "../shared/remember.js";
import { typedTexts } from "./comparison/texts.js";
import { chooser } from "./panel.js";
import { PRESENTED } from "./selection.js";

/** The views that are shown: beside a reference those of both sides fill the window. */
export function viewsShown({ present, views }, isBeside) {
  if (!present) return views;
  return isBeside ? [present] : ["overview", present];
}

/** The view that follows in a presentation, the first after the last. */
export const nextPresented = (present) => PRESENTED[(PRESENTED.indexOf(present) + 1) % PRESENTED.length];

/**
 * `{ element, draw(state), close() }`: the line with texts, prediction and buttons, which stands above the head while
 * `present` of the state is set, and the root in the window.
 */
export function createPresentation(root, context) {
  const { say, store } = context, leave = () => store.set({ present: null });
  // Escape, which no page can keep from leaving full screen, closes the help first.
  const leaveScreen = () => (store.get().help ? store.set({ help: false }) : leave());
  const texts = el("p", { class: "texts" }), verdict = el("p", { class: "verdict" });
  const views = chooser(say("views"), Object.fromEntries(PRESENTED.map((name) => [name, say(name)])),
    (present) => store.set({ present }));
  const element = el("div", { class: "slide", hidden: true }, texts, verdict, views.element,
    button("✕", say("present_leave"), leave));
  const frame = createFrame(root, leaveScreen);
  const showInput = remember(({ prediction, sides, ...input }) => {
    const sources = sides ? [...new Set([sides.query, sides.key])].reverse() : [input];
    texts.replaceChildren(...sources.flatMap(typedTexts).map((text) => el("span", { title: text }, text)));
    verdict.textContent = prediction?.verdict ?? "";
  });

  return {
    element,
    draw({ present }) {
      if (present !== null) views.show(present);
      element.hidden = present === null;
      showInput(context.input);
      frame.fill(present !== null);
    },
    close: frame.close,
  };
}
