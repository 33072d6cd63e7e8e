// Scaled dot-product attention (Vaswani et al. 2017, section 3.2), one matrix per step.

const LARGEST_EXPONENT = 10; // of a row of scores; from there on the largest is subtracted first

/**
 * All matrices of an exercise by id, in the order in which they are computed: `{ id, operation, of, values }`, with the
 * ids of what each is computed from. Of head h: `qh kh vh` queries, keys, values; `th` the keys transposed; `sh` their
 * products; `zh` divided by √d; `mh` masked; `eh` exponentials, `uh` their sums; `ah` attention weights; `oh` the output;
 * then `c`, the outputs side by side, and `r`, their projection. `eh` has `shifts`, what was subtracted from each row.
 */
export function compute({ kind, heads, head, projected, numbers }) {
  const blocks = new Map();
  const add = (id, operation, of, values, more = {}) => blocks.set(id, { id, operation, of, values, ...more });
  const valuesOf = (id) => blocks.get(id).values;
  const multiply = (id, a, b) => add(id, "product", [a, b], product(valuesOf(a), valuesOf(b)));
  for (const [id, values] of Object.entries(numbers)) add(id, "given", [], values);
  for (let h = 1; h <= heads; h++) {
    multiply(`q${h}`, kind === "cross" ? "y" : "x", `wq${h}`);
    multiply(`k${h}`, "x", `wk${h}`);
    multiply(`v${h}`, "x", `wv${h}`);
    add(`t${h}`, "transpose", [`k${h}`], transpose(valuesOf(`k${h}`)));
    multiply(`s${h}`, `q${h}`, `t${h}`);
    add(`z${h}`, "scale", [`s${h}`], map(valuesOf(`s${h}`), (score) => score / Math.sqrt(head)), { head });
    const last = kind === "causal" ? `m${h}` : `z${h}`;
    if (kind === "causal") add(last, "mask", [`z${h}`], maskLater(valuesOf(`z${h}`)));
    const shifts = valuesOf(last).map(shiftOf);
    add(`e${h}`, "exponential", [last], map(valuesOf(last), (score, row) => Math.exp(score - shifts[row])), { shifts });
    add(`u${h}`, "total", [`e${h}`], valuesOf(`e${h}`).map((row) => [sum(row)]));
    add(`a${h}`, "share", [`e${h}`, `u${h}`], map(valuesOf(`e${h}`), (power, row) => power / valuesOf(`u${h}`)[row][0]));
    multiply(`o${h}`, `a${h}`, `v${h}`);
  }
  const outputs = Array.from({ length: heads }, (_, index) => `o${index + 1}`);
  if (heads > 1) add("c", "join", outputs, sideBySide(outputs.map(valuesOf)));
  if (projected) multiply("r", heads > 1 ? "c" : "o1", "wo");
  return blocks;
}

/** What is subtracted from a row of scores before the exponential: nothing, unless its largest would be unwieldy. */
export function shiftOf(scores) {
  const largest = Math.max(...scores);
  return Math.abs(largest) > LARGEST_EXPONENT ? largest : 0;
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const map = (values, change) => values.map((line, row) => line.map((value, column) => change(value, row, column)));
const transpose = (values) => values[0].map((_, column) => values.map((row) => row[column]));
const maskLater = (scores) => map(scores, (score, query, key) => (key > query ? -Infinity : score));
const sideBySide = (matrices) => matrices[0].map((_, row) => matrices.flatMap((values) => values[row]));

function product(a, b) {
  return a.map((row) => b[0].map((_, column) => sum(row.map((value, index) => value * b[index][column]))));
}
