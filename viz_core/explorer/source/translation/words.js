// The translation: its words, each with its probability, as they appear.

import { el } from "../shared/dom.js";
import { roveFocus } from "../shared/keyboard.js";
import { percent } from "./names.js";

/** `{ element, draw(result, state, selected) }`. onselect(position): a word was clicked. */
export function createWords(say, onselect) {
  const element = el("div", { class: "words", role: "group", "aria-label": say("words") });
  roveFocus(element, () => [...element.querySelectorAll("button")], (key, index) => (
    { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: Infinity })[key]);

  function word(step, position, { view, fed }, selected) {
    const training = view === "training", isFed = !training && fed.some(([at]) => at === position);
    const share = percent(step.probability);
    const likeliest = step.candidates[0], differs = training && likeliest && step.rank !== 1;
    const title = say(training ? "word_forced" : "word_described", {
      word: step.token, probability: share, position: position + 1, likeliest: likeliest ? likeliest[1] : "" });
    return el("button", {
      type: "button", class: `word${isFed ? " fed" : ""}`, "aria-pressed": String(position === selected), title,
      tabindex: position === selected ? "0" : "-1", onclick: () => onselect(position) },
    el("span", { class: "token" }, step.token),
    el("i", { class: "track", "aria-hidden": "true" }, el("i", { class: "fill", style: `width:${100 * step.probability}%` })),
    el("span", { class: "share" }, share),
    training ? el("span", { class: differs ? "instead" : "instead same" },
      differs ? likeliest[1] : "✓") : null);
  }

  return {
    element,
    draw({ steps, done }, state, selected) {
      const focus = element.contains(element.getRootNode().activeElement);
      element.classList.toggle("writing", !done);
      element.classList.toggle("training", state.view === "training");
      const buttons = steps.map((step, position) => word(step, position, state, selected));
      if (buttons.length && !buttons.some(({ tabIndex }) => tabIndex === 0)) buttons[0].tabIndex = 0;
      element.replaceChildren(...buttons);
      if (focus) buttons[selected ?? 0]?.focus();
    },
  };
}
