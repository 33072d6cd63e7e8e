// The presentation: two views in large type fill the window below texts and prediction, with nothing to scroll.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { remember } from "../shared/remember.js";
import { typedTexts } from "./comparison/texts.js";
import { chooser } from "./panel.js";
import { PRESENTED } from "./selection.js";

const ACROSS = 71, DOWN = 40; // em of the window: a projector of 1280 x 720 px has type of 18 px

/** The theme with type as large as the window allows, and never smaller than it was. */
export function presentedTheme(theme, width, height) {
  const text = Math.max(theme.text, Math.floor(Math.min(width / ACROSS, height / DOWN)));
  const enlarge = (size) => Math.round((size * text) / theme.text);
  return { ...theme, text, small: enlarge(theme.small), title: enlarge(theme.title), side: Math.round(height * 0.75) };
}

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

/**
 * `{ fill(isFull), close() }`: the root fills the window, in the top layer of the page, where nothing else is in front or
 * clips it; and the window the screen, if the browser allows it. onleave: the person left full screen, with Escape.
 */
function createFrame(root, onleave) {
  let isFull = false, ownsScreen = false;
  const onchange = () => {
    if (document.fullscreenElement || !ownsScreen) return;
    ownsScreen = false;
    onleave();
  };
  const keepFocus = (event) => { // the page behind is not visible
    if (isFull && !event.composedPath().includes(root)) root.focus({ preventScroll: true });
  };
  root.tabIndex = -1;
  document.addEventListener("focusin", keepFocus);
  document.addEventListener("fullscreenchange", onchange);

  async function enter() {
    root.classList.add("presenting");
    root.focus({ preventScroll: true });
    // A link opens in the window: only a person may fill the screen.
    if (document.fullscreenEnabled && !document.fullscreenElement && navigator.userActivation?.isActive) {
      ownsScreen = await document.documentElement.requestFullscreen().then(() => true, () => false);
    }
    if (!isFull) return leaveScreen();
    root.popover = "manual"; // after the page has filled the screen, or the page would be in front
    root.showPopover?.();
  }

  function leave() {
    root.classList.remove("presenting");
    root.popover = null;
    leaveScreen();
    root.scrollIntoView({ block: "nearest" });
    root.focus({ preventScroll: true });
  }

  function leaveScreen() {
    if (ownsScreen) document.exitFullscreen().catch(() => {});
    ownsScreen = false;
  }

  function fill(should) {
    if (should === isFull) return;
    isFull = should;
    if (isFull) enter();
    else leave();
  }

  return {
    fill,
    close() {
      fill(false);
      document.removeEventListener("focusin", keepFocus);
      document.removeEventListener("fullscreenchange", onchange);
    },
  };
}
