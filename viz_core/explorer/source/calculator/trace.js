// The line that says how the selected cell comes about, and the marks on the cells that it is made of.

import { el } from "../shared/dom.js";
import { sources, writeOut } from "./derivation.js";
import { axes, axisNames, symbol } from "./layout.js";
import { fill, typeset } from "./typeset.js";

/**
 * `{ element, draw(active, calculation, tables, asks, isPractice) }`; active: `[id, row, column]` or null. asks: which cells
 * are blank (practice.js): no sum is said in which one of these stands.
 */
export function createTrace(say, catalogue) {
  const sentence = el("p", { class: "sentence" }), sum = el("p", { class: "sum" });
  const element = el("div", { class: "trace", id: "trace" }, sentence, sum);
  let marked = [];

  /** @param {any[]} place */
  function mark(name, place, tables) {
    const [id, row, column] = place;
    for (const table of tables.filter((other) => other.id === id)) {
      const cell = table.cells[row][column];
      cell.classList.add(name);
      marked.push(cell);
    }
  }

  return {
    element,
    draw(active, calculation, tables, asks, isPractice) {
      for (const cell of marked) cell.classList.remove("active", "source");
      marked = [];
      const block = active && calculation.blocks.get(active[0]);
      if (!block?.values[active[1]] || active[2] >= block.values[0].length) {
        sentence.textContent = say(isPractice ? "practice_hint" : "trace_none");
        sum.textContent = "";
        return;
      }
      const [id, row, column] = active, { exercise, blocks, decimals } = calculation;
      mark("active", active, tables);
      const cells = sources(blocks, block, row, column);
      for (const source of cells) mark("source", source, tables);
      sentence.replaceChildren(...fill(catalogue[`trace_${block.operation}`], {
        ...placeOf(exercise, id, row, column), ...operands(exercise, block, row, column), head: `√${exercise.head}` }));
      const isOpen = ([of, i, j]) => (asks(blocks.get(of), i, j)?.verdict ?? "right") !== "right";
      sum.replaceChildren(...typeset([active, ...cells].some(isOpen) ? "" : writeOut(blocks, block, row, column, decimals)));
    },
  };
}

/** The symbol of the matrix, and the names of row and column, as nodes of a sentence. */
function placeOf(exercise, id, row, column) {
  const [rows, columns] = axes(exercise, id).map((axis) => axis && axisNames(exercise, axis));
  const matrix = el("b", {}, ...typeset(symbol(exercise, id)));
  return { matrix, row: strong(rows?.[row] ?? row + 1), column: strong(columns?.[column] ?? column + 1) };
}

function operands(exercise, { of }, row, column) {
  const [first, second] = of.map((id) => el("b", {}, ...typeset(symbol(exercise, id))));
  const names = of[1] && axes(exercise, of[1])[1];
  return { first, second, other: strong(names ? axisNames(exercise, names)[column] : column + 1) };
}

const strong = (text) => el("b", {}, String(text));
