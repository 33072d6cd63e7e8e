// The box for a reference, which the decoder reads in training.

import { el } from "../shared/dom.js";

/**
 * `{ element, draw(state) }`. most: characters that the box takes; ontext(text): another reference; onrest(): the person
 * has left the box.
 */
export function createReference(say, most, ontext, onrest) {
  const area = el("textarea", { rows: 2, spellcheck: "false", oninput: () => ontext(area.value), onblur: onrest });
  if (most) area.maxLength = most;
  area.addEventListener("keydown", (event) => event.stopPropagation());
  const element = el("label", { class: "box reference" }, el("span", {}, say("reference")), area);
  return {
    element,
    draw({ view, reference }) {
      element.hidden = view !== "training";
      if (area.value !== reference) area.value = reference;
    },
  };
}
