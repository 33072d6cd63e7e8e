// The box for a reference, which the decoder reads in training.

import { cutText } from "../instrument/cut.js";
import { el } from "../shared/dom.js";

/**
 * `{ element, draw(state) }`. most: characters after which a reference is cut; ontext(text): another reference; onrest():
 * the person has left the box.
 */
export function createReference(say, most = Infinity, ontext, onrest) {
  const area = el("textarea", { rows: 2, spellcheck: "false", oninput: read, onblur: onrest });
  const note = el("p", { class: "note", hidden: true });
  area.addEventListener("keydown", (event) => event.stopPropagation());
  const element = el("div", {}, el("label", { class: "box reference" }, el("span", {}, say("reference")), area), note);

  function read() {
    const text = cutText(area.value, most);
    note.hidden = text === area.value;
    if (!note.hidden) {
      note.textContent = say("text_cut", { count: [...area.value].length, limit: most });
      area.value = text;
    }
    ontext(text);
  }

  return {
    element,
    draw({ view, reference }) {
      element.hidden = view !== "training";
      if (area.value !== reference) area.value = reference;
    },
  };
}
