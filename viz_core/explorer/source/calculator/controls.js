// What is calculated: example, kind of attention, sizes, decimals; whether it is practised, and which steps are blank then
// and on the sheet of paper.

import { button, dropdown } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { remember } from "../shared/remember.js";
import { EXAMPLES } from "./examples.js";
import { KINDS, SIZES } from "./exercise.js";
import { stepsOf } from "./layout.js";
import { DECIMALS } from "./state.js";
import { typeset } from "./typeset.js";

/** `{ element, draw(state) }`. actions: `start(example)`, `resize(sizes)`, `setDecimals(count)`, `reset()`, `practise(on)`. */
export function createControls(say, { start, resize, setDecimals, reset, practise }) {
  const names = (keys, prefix) => Object.fromEntries(keys.map((key) => [key, say(`${prefix}_${key}`)]));
  const numbers = (values) => Object.fromEntries(values.map((value) => [value, String(value)]));
  const example = dropdown(say("example"), names(Object.keys(EXAMPLES), "example"), start);
  const kind = dropdown(say("kind"), names(KINDS, "kind"), (value) => resize({ kind: value }));
  /** @type {[string, ReturnType<typeof dropdown>][]} */
  const sizes = Object.keys(SIZES).map((name) =>
    [name, dropdown(say(`size_${name}`), numbers(SIZES[name]), (value) => resize({ [name]: Number(value) }))]);
  const projected = createCheckbox(typeset(say("size_projected")), (on) => resize({ projected: on }));
  const decimals = dropdown(say("decimals"), numbers(DECIMALS), (value) => setDecimals(Number(value)));
  const practice = button(say("practice"), say("practice_help"), () => practise(practice.getAttribute("aria-pressed") !== "true"));
  const element = el("div", { class: "controls" }, example.element, button(say("reset"), say("reset_help"), reset), practice,
    kind.element, ...sizes.map(([, { element }]) => element), projected.element, decimals.element);
  return {
    element,
    draw(state) {
      example.show(state.example);
      kind.show(state.exercise.kind);
      for (const [name, size] of sizes) {
        size.show(state.exercise[name]);
        if (name === "targets") size.element.hidden = state.exercise.kind !== "cross";
      }
      projected.show(state.exercise.projected);
      decimals.show(state.decimals);
      practice.setAttribute("aria-pressed", String(state.practice));
    },
  };
}

/** `{ element, draw(state) }`. actions: `blank(step, on)`; `print(solution)` and `save(solution)` a sheet. */
export function createSheetControls(say, { blank, print, save }) {
  const boxes = el("div", { class: "boxes" });
  const actions = (solution, name) => [
    button(say(`print_${name}`), say("print_help"), () => print(solution)),
    button(say(`save_${name}`), say("save_help"), () => save(solution))];
  const element = el("section", { class: "view sheet", "aria-label": say("sheet") },
    el("header", {}, el("h2", {}, say("sheet"))), el("p", { class: "note" }, say("sheet_note")), boxes,
    el("div", { class: "buttons" }, ...actions(false, "exercise"), ...actions(true, "solution")));
  const drawBoxes = remember((steps, blanks) => {
    const had = boxes.contains(boxes.getRootNode().activeElement) ? boxes.getRootNode().activeElement.name : null;
    boxes.replaceChildren(...steps.map((step) => {
      const box = createCheckbox([say(`blank_${step}`)], (on) => blank(step, on), step);
      box.show(blanks.includes(step));
      return box.element;
    }));
    if (had) boxes.querySelector(`[name="${had}"]`)?.focus();
  });
  return { element, draw: ({ exercise, blanks }) => drawBoxes(stepsOf(exercise), blanks) };
}

function createCheckbox(label, onchange, name = "") {
  const box = el("input", { type: "checkbox", name, onchange: () => onchange(box.checked) });
  return { element: el("label", { class: "check" }, box, el("span", {}, ...label)), show: (on) => { box.checked = on; } };
}
