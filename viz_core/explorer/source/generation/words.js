// The tokens of the text, each with its probability, and the place of the next one.

import { el } from "../shared/dom.js";
import { roveFocus } from "../shared/keyboard.js";
import { joinTexts } from "../shared/translator.js";
import { percent } from "../translation/names.js";

/** `{ element, draw(result, selected) }`. onselect(position): a token was clicked; null for the place after the last. */
export function createWords(say, onselect) {
  const element = el("div", { class: "words", role: "group", "aria-label": say("words") });
  roveFocus(element, () => [...element.querySelectorAll("button")], (key, index) => (
    { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: Infinity })[key]);

  function button(position, isSelected, name, title, probability, kind) {
    return el("button", { type: "button", class: `word ${kind}`, title, "aria-pressed": String(isSelected),
      tabindex: isSelected ? "0" : "-1", onclick: () => onselect(position) },
    el("span", { class: "token" }, name),
    el("i", { class: "track", "aria-hidden": "true" },
      probability === null ? null : el("i", { class: "fill", style: `width:${100 * probability}%` })),
    el("span", { class: "share" }, probability === null ? "" : percent(probability)));
  }

  function describe(step, word, position, isWritten, isSpecial) {
    if (isSpecial) return joinTexts(describe(step, word, position, isWritten, false), say("special_described"));
    if (!step) return say("first_token", { position: position + 1, word });
    return say(isWritten ? "written_described" : "token_described", {
      position: position + 1, word, probability: percent(step.probability), rank: step.rank ?? "–" });
  }

  return {
    element,
    draw({ labels, steps, starts, special, done }, selected) {
      const focus = element.contains(element.getRootNode().activeElement);
      const buttons = steps.map((step, position) => button(position, position === selected, labels[position],
        describe(step, labels[position], position, position >= starts.length, special.includes(labels[position])), step && step.probability,
        `${position < starts.length ? "given" : "written"}${special.includes(labels[position]) ? " special" : ""}`));
      if (done) buttons.push(button(null, selected === null, "…", say("next_title"), null, "next"));
      element.classList.toggle("writing", !done);
      element.replaceChildren(...buttons);
      const shown = buttons[selected ?? buttons.length - 1];
      if (focus) shown?.focus();
    },
  };
}
