// The text boxes, the button that swaps a pair, and the examples.

import { button } from "../shared/controls.js";
import { cutText } from "./cut.js";
import { el } from "../shared/dom.js";
import { same } from "../shared/remember.js";
import { joinTexts } from "../shared/translator.js";

/**
 * `{ element, texts(), set(texts), stepExample(step) }`; the last takes the example that many after the one in the boxes.
 * ontext(): the texts changed; not while an input method still composes characters, as Chinese is typed. onrest(): the
 * person is done: left the box, pressed Ctrl+Enter, or took an example.
 * limit: characters of a text that fit into the link. most: after which texts are cut, as on the server
 * (viz_core/text/length.py), so that a book that is pasted by mistake costs nobody anything.
 */
export function createBoxes({ boxes, examples, limit, most = Infinity }, say, ontext, onrest) {
  let texts = [], typed = 0; // typed: characters of the last text, if it was cut
  const areas = boxes.map((label, index) => createBox(index));
  const note = el("p", { class: "note", hidden: true });
  const swap = boxes.length === 2
    && button("⇄", say("swap"), () => take([texts[1], texts[0]]), { class: "swap" });
  const choices = examples.map(({ label, texts: example, gloss }) => (
    el("button", { type: "button", title: gloss?.join(" / ") || null, onclick: () => take(example) }, label)));
  const names = boxes.map((name) => el("span", {}, name)), remark = el("span", { class: "remark" });
  const labelled = areas.map((area, index) => el("label", { class: "box" }, names[index], area));
  const element = el("div", { class: "boxes" },
    el("div", { class: swap ? "pair" : "single" }, labelled[0], ...(swap ? [swap, labelled[1]] : [])),
    el("div", { class: "examples", role: "group", "aria-label": say("examples"), hidden: !choices.length },
      el("span", { class: "label", "aria-hidden": "true" }, say("examples")), ...choices, remark), note);

  function createBox(index) {
    const area = el("textarea", { rows: 2, spellcheck: "false", dir: "auto" });
    let composing = false;
    const read = () => {
      if (composing || area.value === texts[index]) return;
      const text = cutText(area.value, most);
      typed = text === area.value ? 0 : [...area.value].length;
      if (typed) area.value = text;
      const changed = text !== texts[index];
      texts = texts.with(index, text);
      mark();
      if (changed) ontext();
    };
    area.addEventListener("compositionstart", () => { composing = true; });
    area.addEventListener("compositionend", () => { composing = false; read(); });
    area.addEventListener("input", (event) => { if (!event.isComposing) read(); });
    area.addEventListener("blur", () => { composing = false; read(); onrest(); });
    area.addEventListener("keydown", (event) => {
      event.stopPropagation(); // Streamlit has shortcuts of its own
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || composing) return;
      event.preventDefault();
      onrest();
    });
    return area;
  }

  function take(next) {
    set(next);
    ontext();
    onrest();
  }

  function set(next) {
    texts = next.map((text) => cutText(text, most));
    typed = 0;
    areas.forEach((area, index) => { if (area.value !== texts[index]) area.value = texts[index]; });
    mark();
  }

  const isIn = (example) => same(example.texts, texts);

  /** Marks the example in the boxes, shows its gloss, and says what is cut or too long for the link. */
  function mark() {
    const gloss = examples.find(isIn)?.gloss ?? [];
    const ofBoxes = gloss.length === boxes.length ? gloss : []; // of the texts; else a remark on the example as a whole
    names.forEach((name, index) => { name.textContent = [boxes[index], ofBoxes[index]].filter(Boolean).join(" · "); });
    remark.textContent = ofBoxes.length ? "" : gloss.join(" ");
    choices.forEach((choice, index) => choice.setAttribute("aria-pressed", String(isIn(examples[index]))));
    const count = Math.max(...texts.map((text) => (text.length > limit ? [...text].length : 0)));
    const notes = [typed && say("text_cut", { count: typed, limit: most }),
      count > limit && say("text_not_in_link", { count, limit })].filter(Boolean);
    note.hidden = !notes.length;
    note.textContent = joinTexts(...notes);
  }

  /** From texts that are no example, to the first or the last. */
  function stepExample(step) {
    const current = examples.findIndex(isIn), { length } = examples;
    take(examples[current < 0 ? (step > 0 ? 0 : length - 1) : (current + step + length) % length].texts);
  }

  return { element, texts: () => texts, set, stepExample };
}
