// Typing and pasting numbers, and names of tokens, into the cells; in practice also answers.

import { typedText, parseNumber, splitPasted, FINEST, LARGEST } from "./numbers.js";
import { symbol } from "./layout.js";
import { tidyName } from "./exercise.js";
import { plain } from "./typeset.js";

/**
 * setNumbers(id, row, column, rows): puts rows of numbers there. setName(axis, index, name). showProblem(problem):
 * `{ key, values }` of a sentence, or null. setAnswer(id, row, column, text, left): left says whether the cell was left.
 * exercise(): the current one.
 */
export function listenToEdits(root, { exercise, setNumbers, setName, setAnswer, showProblem }) {
  let entered = null; // the box that a click has just given the focus: its number is selected, and what is typed replaces it
  root.addEventListener("focusin", ({ target }) => { entered = target.matches?.("td input") ? target : null; });
  root.addEventListener("click", ({ target }) => {
    if (target === entered) target.select();
    entered = null;
  });
  for (const kind of ["input", "focusout"]) {
    root.addEventListener(kind, ({ target }) => {
      if (target.matches?.(".answer")) setAnswer(...placeIn(target), target.value, kind === "focusout");
    });
  }
  root.addEventListener("input", (event) => {
    const input = event.target, place = placeOf(input);
    if (input.dataset.axis) setName(input.dataset.axis, Number(input.dataset.row), tidyName(input.value));
    if (!place || event.isComposing) return;
    const { value, problem } = parseNumber(input.value);
    input.setAttribute("aria-invalid", String(Boolean(problem)));
    showProblem(problem ? { key: problem, values: sayings(input.value, input.dataset.value) } : null);
    if (problem) return;
    input.dataset.value = value;
    setNumbers(...place, [[value]]);
  });
  root.addEventListener("compositionend", (event) => event.target.dispatchEvent(new Event("input", { bubbles: true })));
  root.addEventListener("focusout", ({ target }) => { if (placeOf(target)) restore(target); });
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && placeOf(event.target)) restore(event.target);
    else if (event.target.matches?.("th input") && event.key === "Enter") event.target.blur();
  });
  root.addEventListener("paste", (event) => {
    const place = placeOf(event.target), rows = splitPasted(event.clipboardData?.getData("text") ?? "");
    if (!place || rows.flat().length < 2) return;
    event.preventDefault();
    const parsed = rows.map((row) => row.map(parseNumber)), problem = findProblem(exercise(), place, rows, parsed);
    if (!problem) setNumbers(...place, parsed.map((row) => row.map(({ value }) => value)));
    showProblem(problem);
  });

  /** Shows the last valid number again. */
  function restore(input) {
    if (input.getAttribute("aria-invalid") === "true") showProblem(null);
    input.setAttribute("aria-invalid", "false");
    input.value = typedText(Number(input.dataset.value));
  }
}

/**
 * `[id, row, column]` of the cell of an input for a number that is given; null for another.
 *
 * @returns {[string, number, number] | null}
 */
const placeOf = (input) => (input.matches?.("td input:not(.answer)") ? placeIn(input) : null);

/**
 * `[id, row, column]` of the cell of an input.
 *
 * @returns {[string, number, number]}
 */
function placeIn(input) {
  const { block, row, column } = input.closest("td[data-block]").dataset;
  return [block, Number(row), Number(column)];
}

/** Why pasted rows cannot be put there; null if they can. */
export function findProblem(exercise, [id, row, column], rows, parsed) {
  const given = exercise.numbers[id], widest = Math.max(...rows.map((numbers) => numbers.length));
  if (row + rows.length > given.length || column + widest > given[0].length) {
    const values = { rows: rows.length, columns: widest, matrix: plain(symbol(exercise, id)),
      freeRows: given.length - row, freeColumns: given[0].length - column };
    return { key: "wrong_size", values };
  }
  const place = parsed.flat().findIndex(({ problem }) => problem);
  if (place < 0) return null;
  return { key: parsed.flat()[place].problem, values: sayings(rows.flat()[place], given[row][column]) };
}

const sayings = (text, last) => ({ text: text.slice(0, 20), last: typedText(Number(last)), largest: LARGEST, finest: FINEST });
