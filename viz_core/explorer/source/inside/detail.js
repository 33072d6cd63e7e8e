// The computation of a step for the query or the key: vectors as strips of colours below one another, products of a row
// with a column, tables of the classes. Pointing at a number shows it in every line.

import { el } from "../shared/dom.js";
import { number } from "./numbers.js";
import { limitOf, paintSigned } from "./paint.js";
import { createPairs } from "./pairs.js";
import { createProduct } from "./product.js";
import { createTable } from "./table.js";
import { createWidths } from "./widths.js";

/** `{ element, draw(view, parts, equation) }`. The dimension pointed at stays the same from step to step. */
export function createDetail({ say, theme }) {
  const at = { E: 0, D: 0, d: 0, F: 0, C: 0, V: 0, Z: 0, O: 0 }; // of each axis
  const sliders = Object.fromEntries(Object.keys(at).map((axis) => [axis, createSlider(axis, say, (index) => point(axis, index))]));
  const content = el("div", { class: "parts" });
  const pointers = el("div", { class: "pointers" }, ...Object.values(sliders).map(({ element }) => element));
  const element = el("section", { class: "detail", "aria-label": say("computation") }, content, pointers);
  let updates = [], lengths = {};

  function point(axis, index) {
    at[axis] = Math.min(Math.max(index, 0), lengths[axis] - 1);
    update();
  }

  function update() {
    for (const [axis, slider] of Object.entries(sliders)) slider.show(at[axis], lengths[axis] ?? 0);
    for (const show of updates) show(at);
  }

  content.addEventListener("pointermove", (event) => {
    const canvas = event.target.closest?.("canvas[data-axis]");
    if (!canvas) return;
    const { left, top, width, height } = canvas.getBoundingClientRect(), { axis, rowAxis } = canvas.dataset;
    if (axis) point(axis, Math.floor(((event.clientX - left) / width) * canvas.width));
    if (rowAxis) point(rowAxis, Math.floor(((event.clientY - top) / height) * canvas.height));
  });

  return {
    element,
    draw(parts, equation) {
      lengths = lengthsOf(parts);
      for (const axis of Object.keys(lengths)) at[axis] = Math.min(at[axis], lengths[axis] - 1);
      const drawn = parts.map((part) => {
        if (part.widths) return { element: createWidths(say), show: () => {} };
        if (part.pairs) return createPairs(part.pairs, say, (index) => point("d", index));
        if (part.table) return { element: createTable(part.table), show: () => {} };
        return part.matrix ? createProduct(part, theme, say) : createStrips(part, theme, say);
      });
      updates = drawn.map(({ show }) => show);
      content.replaceChildren(...drawn.map((part) => part.element), ...(equation ? [el("p", { class: "equation" }, equation)] : []));
      element.hidden = !parts.length && !equation;
      update();
    },
  };
}

/** The length of each axis that the parts have. */
function lengthsOf(parts) {
  const lengths = {};
  for (const { axis, rowAxis, strips, matrix } of parts) {
    if (strips) lengths[axis] = strips[0].values.length;
    if (matrix) Object.assign(lengths, { [axis]: matrix.x.length, [rowAxis]: matrix.result.length });
  }
  return lengths;
}

/** Vectors below one another, on a scale of their own; a line at the dimension pointed at, and its number in each. */
function createStrips({ side, title, axis, strips, segments, equation }, theme, say) {
  const limit = limitOf(...strips.map(({ values }) => values));
  const lines = strips.map(({ sign = "", label, values, isResult, hue }) => {
    const canvas = el("canvas", { "data-axis": axis, role: "img", "aria-label": label }), value = el("output", { class: "figure" });
    paintSigned(canvas, values, values.length, limit, theme.diverging);
    return { values, value, elements: [el("span", { class: "sign" }, sign), el("span", { class: `label ${hue ?? ""}${isResult ? " result" : ""}`, title: label }, label),
      el("span", { class: `strip${isResult ? " result" : ""}` }, canvas), value] };
  });
  const where = el("span", { class: "where" }), line = el("i", { class: "at" });
  const grid = el("div", { class: "strips", "data-axis": axis, ...(segments ? { style: `--segments:${segments}` } : {}) },
    el("span"), el("span", { class: `title ${side ?? ""}` }, title ?? ""), el("span", { class: "scale" }, scaleOf(limit, say)), where,
    ...lines.flatMap(({ elements }) => elements));
  grid.append(line, ...(equation ? [el("p", { class: "equation" }, equation)] : []));
  return {
    element: grid,
    show(at) {
      const index = at[axis], { length } = strips[0].values;
      where.textContent = say("dimension_short", { dimension: index + 1 });
      for (const { values, value } of lines) value.textContent = number(values[index]);
      grid.style.setProperty("--at", (index + 0.5) / length);
      grid.style.setProperty("--cell", 1 / length);
    },
  };
}

/** What the colours mean. */
export const scaleOf = (limit, say) => say("scale", { low: number(-limit || 0), high: number(limit) });

/** A slider for the dimension, for keyboards and fingers. */
function createSlider(axis, say, set) {
  const input = el("input", { type: "range", min: "1", step: "1", oninput: () => set(Number(input.value) - 1) });
  const text = el("span");
  const element = el("label", {}, text, input);
  return {
    element,
    show(index, length) {
      element.hidden = length < 2;
      input.max = String(length);
      input.value = String(index + 1);
      text.textContent = say(`pointed_${axis}`, { dimension: index + 1, all: length });
    },
  };
}
