// The parts of a head's weights that views show. The same arithmetic as viz_core/analysis/selection.py, repeated in the
// browser so that views need not wait for the server; tests/explorer/test_arithmetic.py compares the two.

import { byWeight } from "../shared/order.js";
import { STEPS } from "./unpack.js";

/** The mean of heads, each a Uint16Array in fixed point, as weights (Float32Array of the same length). */
export function meanWeights(matrices) {
  const weights = new Float32Array(matrices[0].length);
  for (const matrix of matrices) for (let index = 0; index < weights.length; index++) weights[index] += matrix[index];
  const scale = 1 / (STEPS * matrices.length);
  for (let index = 0; index < weights.length; index++) weights[index] *= scale;
  return weights;
}

const axesOfUnits = new WeakMap(); // units -> their axes by choice, so that equal choices give the same object

/**
 * The units in rows and columns: `queries` and `keys`; and each unit's row (`rowOf`) and column (`columnOf`), -1 where
 * it is left out. special, block: as in viz_core/analysis/selection.py.
 */
export function axesOf(units, special, block) {
  if (!axesOfUnits.has(units)) axesOfUnits.set(units, new Map());
  const axes = axesOfUnits.get(units), choice = `${special} ${block}`;
  if (!axes.has(choice)) {
    const isShown = (unit, side) => (special === "shown" || units.groups[unit] >= 0) &&
      (block === "all" || units.segments[unit] === "ab".indexOf(block[side]));
    const all = Array.from({ length: units.count }, (_, unit) => unit);
    const queries = all.filter((unit) => isShown(unit, 0)), keys = all.filter((unit) => isShown(unit, 1));
    axes.set(choice, {
      queries, keys, rowOf: indexByUnit(queries, units.count), columnOf: indexByUnit(keys, units.count) });
  }
  return axes.get(choice);
}

/**
 * Weights from queries (rows) to keys (columns) as drawn: `weights` (Q * K) on the axes of `axesOf`, `largest`, and
 * `all`, the weights between all units (U * U). Words: summed over the keys of a word, averaged over its queries.
 */
export function attentionMap(weights, units, special, block) {
  const axes = axesOf(units, special, block), { queries, keys } = axes, { count } = units;
  const all = groupByUnit(weights, units);
  const whole = queries.length === count && keys.length === count;
  const cut = whole && special !== "renormalised" ? all : submatrix(all, count, queries, keys);
  if (special === "renormalised") for (const row of rowsOf(cut, keys.length)) normalise(row);
  let largest = 0;
  for (let index = 0; index < cut.length; index++) if (cut[index] > largest) largest = cut[index];
  return { ...axes, weights: cut, largest: largest || 1, all, special, block };
}

/**
 * What a unit attends to (`from`: its row over the keys shown, even if the row itself is not), or what attends to it
 * (`to`: its column of the map). `(U,)`; 0 for units left out.
 */
export function weightsOfUnit(map, unit, direction, units) {
  const weights = new Float32Array(units.count);
  if (direction === "from") {
    for (const key of map.keys) weights[key] = map.all[unit * units.count + key];
    if (map.special === "renormalised") normalise(weights);
  } else if (map.columnOf[unit] >= 0) {
    map.queries.forEach((query, row) => { weights[query] = map.weights[row * map.keys.length + map.columnOf[unit]]; });
  }
  return weights;
}

/** The mean weight `(U,)` that each unit receives over all tokens (of the block's queries). */
export function receivedWeights(map, units) {
  const sums = new Float32Array(units.count);
  const queries = map.block === "all" ? units.labels.keys() : map.queries;
  let tokens = 0;
  for (const query of queries) {
    tokens += units.size[query]; // a word counts once per token
    for (const key of map.keys) sums[key] += map.all[query * units.count + key] * units.size[query];
  }
  if (map.special === "renormalised") return normalise(sums);
  return sums.map((weight) => weight / (tokens || 1));
}

/**
 * The total weight that queries in these rows give to keys in these columns (both inclusive), averaged over queries.
 */
export function blockMass(map, rows, columns, units) {
  let total = 0, tokens = 0;
  for (let row = rows[0]; row <= rows[1]; row++) {
    const size = units.size[map.queries[row]];
    tokens += size;
    for (let column = columns[0]; column <= columns[1]; column++) {
      total += map.weights[row * map.keys.length + column] * size;
    }
  }
  return tokens ? total / tokens : 0;
}

/** These units by decreasing weight, with the cumulative weight: `[{ unit, weight, mass }]`. */
export function sortByWeight(weights, units) {
  let mass = 0;
  return byWeight(weights, units).map((unit) => ({ unit, weight: weights[unit], mass: (mass += weights[unit]) }));
}

/** How many of the sorted units it takes to reach `share` of the total weight. */
export function countHolding(rows, share) {
  const enough = share * (rows.at(-1)?.mass ?? 0) - 1e-6;
  return rows.findIndex(({ mass }) => mass >= enough) + 1;
}

function groupByUnit(weights, units) {
  const { count, of, size } = units, tokens = of.length;
  if (count === tokens) return weights;
  const grouped = new Float32Array(count * count);
  for (let query = 0; query < tokens; query++) {
    const start = of[query] * count, share = 1 / size[of[query]];
    for (let key = 0; key < tokens; key++) grouped[start + of[key]] += weights[query * tokens + key] * share;
  }
  return grouped;
}

function submatrix(weights, count, queries, keys) {
  const cut = new Float32Array(queries.length * keys.length);
  let at = 0;
  for (const query of queries) for (const key of keys) cut[at++] = weights[query * count + key];
  return cut;
}

function* rowsOf(weights, columns) {
  for (let start = 0; start < weights.length; start += columns) yield weights.subarray(start, start + columns);
}

/** Scales weights in place to sum to 1; leaves all-zero weights unchanged. */
function normalise(weights) {
  let total = 0;
  for (let index = 0; index < weights.length; index++) total += weights[index];
  if (total > 0) for (let index = 0; index < weights.length; index++) weights[index] /= total;
  return weights;
}

/** Each unit's index in a list of units, -1 where it is not in the list. */
function indexByUnit(units, count) {
  const indices = new Int32Array(count).fill(-1);
  units.forEach((unit, index) => { indices[unit] = index; });
  return indices;
}
