// A matrix as a table: on the page with cells that can be edited and focused, on a sheet of paper without.

import { el } from "../shared/dom.js";
import { remember } from "../shared/remember.js";
import { axes, axisNames, formula, symbol } from "./layout.js";
import { format, isExact, typedText } from "./numbers.js";
import { plain, typeset } from "./typeset.js";

/**
 * `{ id, element, cells, show(calculation, asks) }`; calculation: `{ exercise, blocks, decimals }`; asks: which cells are
 * blank, and what was typed there (practice.js). headers: whether rows have theirs. editable: whether numbers and names are
 * inputs. answered: whether the numbers are typed as answers. interactive: whether cells can be focused.
 */
export function createTable(id, calculation, say, { headers, editable = false, answered = false, interactive = false }) {
  const { exercise, blocks } = calculation, { values } = blocks.get(id), [rowAxis, columnAxis] = axes(exercise, id);
  const size = el("span", { class: "size" });
  const cells = values.map((line, row) => line.map((_, column) => createCell(id, row, column, { editable, answered, interactive })));
  const rowNames = headers ? values.map((_, row) => nameCell(exercise, rowAxis, row, say, editable && rowAxis)) : [];
  const columnNames = columnAxis ? values[0].map(() => el("th", { scope: "col" })) : [];
  const caption = el("div", { class: "caption" }, el("span", { class: "formula" }, ...typeset(formula(exercise, blocks.get(id)))), size);
  const table = el("table", interactive ? { role: "grid" } : {},
    columnAxis ? el("tr", {}, headers ? el("td", { class: "corner" }) : null, ...columnNames) : null,
    ...cells.map((line, row) => el("tr", {}, rowNames[row]?.element, ...line.map((cell) => cell.element))));
  const element = el("div", { class: `matrix ${kindOf(id)}` }, caption, table);

  const showNumbers = remember(({ exercise, blocks, decimals }, asks) => {
    const block = blocks.get(id), asked = block.values.map((line, row) => line.map((_, column) => asks(block, row, column)));
    const exact = block.values.every((line, row) => line.every((value, column) =>
      (asked[row][column] && asked[row][column].verdict !== "right") || isExact(value, decimals)));
    size.textContent = `${block.values.length} × ${block.values[0].length}${exact ? "" : " ≈"}`;
    const names = [rowAxis, columnAxis].map((axis) => axis && axisNames(exercise, axis));
    columnNames.forEach((cell, column) => { cell.textContent = names[1][column]; });
    table.setAttribute("aria-label", `${say(`matrix_${kindOf(id)}`)}: ${plain(symbol(exercise, id))}`);
    cells.forEach((line, row) => line.forEach((cell, column) => {
      const position = [names[0]?.[row] ?? row + 1, names[1]?.[column] ?? column + 1];
      const value = block.values[row][column], question = asked[row][column];
      const text = question && !(question.verdict === "right" && !answered) ? question.text : format(value, decimals);
      cell.show(value, text, question?.verdict ?? "", say("cell", { matrix: plain(symbol(exercise, id)), row: position[0], column: position[1], value: text }));
    }));
  });

  function show(calculation, asks = asksNothing) {
    showNumbers(calculation, asks);
    const names = rowAxis ? axisNames(calculation.exercise, rowAxis) : [];
    rowNames.forEach((name, row) => name.show(names[row] ?? "")); // also without a change: one that is typed is left alone
  }

  show(calculation);
  return { id, element, cells: cells.map((line) => line.map((cell) => cell.element)), show };
}

const asksNothing = () => null;

/** Of a matrix: which hue it has, and its sentence in the catalogue. */
const kindOf = (id) => ({ x: "input", y: "input", w: "weights", q: "query", k: "key", t: "key", v: "value", s: "scores",
  z: "scaled", m: "masked", e: "exponentials", u: "total", a: "attention", o: "output", c: "output", r: "output" }[id[0]]);

function createCell(id, row, column, { editable, answered, interactive }) {
  const input = editable || answered ? el("input", {
    type: "text", inputmode: "decimal", autocomplete: "off", tabindex: answered ? "0" : "-1", class: answered ? "answer" : "" }) : null;
  const element = el("td", { "data-block": id, "data-row": row, "data-column": column,
    ...(interactive && !input ? { tabindex: "-1", role: "gridcell" } : {}) }, input);
  return {
    element,
    show: remember((value, text, verdict, name) => {
      element.classList.toggle("masked", value === -Infinity && text !== "");
      element.classList.toggle("right", verdict === "right" && answered);
      if (interactive) (input ?? element).setAttribute("aria-label", name);
      if (!input) element.textContent = text;
      else if (answered) showAnswer(input, text, verdict);
      else if (input.getAttribute("aria-invalid") !== "true" && Number(input.dataset.value) !== value) {
        input.value = typedText(value);
        input.dataset.value = value;
      }
    }),
  };
}

function showAnswer(input, text, verdict) {
  if (input.value !== text) input.value = text;
  input.setAttribute("aria-invalid", String(verdict === "wrong"));
}

/** The header of a row: the name of its token, which can be typed where the table is editable. */
function nameCell(exercise, axis, row, say, editable) {
  const input = editable ? el("input", { type: "text", autocomplete: "off", "data-axis": axis, "data-row": row,
    "aria-label": say("token_name", { number: row + 1 }) }) : null;
  const element = el("th", { scope: "row" }, input);
  return {
    element,
    show(name) {
      if (!input && element.textContent !== name) element.textContent = name;
      if (input && input.value.trim() !== name && !input.matches(":focus")) input.value = name;
    },
  };
}
