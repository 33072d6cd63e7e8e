// The parts of a head's weights that views show. The same arithmetic as viz_core/analysis/selection.py, repeated in the
// browser so that views need not wait for the server; tests/explorer/test_arithmetic.py compares the two.

/** @import { AttentionMap, Axes, UnitsOfSides } from "../shared/records.js" */

import { byWeight } from "../shared/order.js";
import { STEPS } from "./unpack.js";

/**
 * The mean of heads, each in fixed point, as weights (Float32Array of the same length). unit: what the largest step
 * stands for.
 *
 * @param {(Uint16Array | Float32Array)[]} matrices
 */
export function meanWeights(matrices, unit = 1) {
  const weights = new Float32Array(matrices[0].length);
  for (const matrix of matrices) for (let index = 0; index < weights.length; index++) weights[index] += matrix[index];
  const scale = unit / (STEPS * matrices.length);
  for (let index = 0; index < weights.length; index++) weights[index] *= scale;
  return weights;
}

const axesOfSides = new WeakMap(); // units of both sides -> their axes by choice: equal choices give the same object

/**
 * The units in rows and columns: `queries` and `keys`; each unit's row (`rowOf`) and column (`columnOf`), -1 where it is
 * left out; `reach`: how many of the keys, from the first, each of the queries can attend to. sides: as from units.js;
 * special, block: as in viz_core/analysis/selection.py.
 *
 * @param {UnitsOfSides} sides
 * @param {string} special
 * @param {string} block
 * @returns {Axes}
 */
export function axesOf(sides, special, block) {
  if (!axesOfSides.has(sides)) axesOfSides.set(sides, new Map());
  const axes = axesOfSides.get(sides), choice = `${special} ${block}`;
  if (!axes.has(choice)) {
    const isHidden = (groups, unit) => special !== "shown" && (groups[unit] < 0 || (sides.isCausal && unit === 0));
    const shown = ({ count, groups, segments }, side) => Array.from({ length: count }, (_, unit) => unit).filter((unit) => (
      !isHidden(groups, unit) && (block === "all" || segments[unit] === "ab".indexOf(block[side]))));
    const queries = shown(sides.query, 0), keys = shown(sides.key, 1);
    axes.set(choice, { queries, keys, rowOf: indexByUnit(queries, sides.query.count),
      columnOf: indexByUnit(keys, sides.key.count),
      reach: Int32Array.from(queries, (query) => (
        sides.isCausal ? keys.filter((key) => canAttend(sides, query, key)).length : keys.length)) });
  }
  return axes.get(choice);
}

/** Whether a query can attend to a key: in causal attention not to later units, which is no weight of 0. */
export const canAttend = ({ isCausal }, query, key) => !isCausal || key <= query;

/**
 * Weights from queries (rows) to keys (columns) as drawn: `weights` (Q * K) on the axes of `axesOf`, `largest`, and
 * `all`, the weights between all units of both sides. Words: summed over the keys of a word, averaged over its queries.
 *
 * @param {Float32Array} weights
 * @param {UnitsOfSides} sides
 * @param {string} special
 * @param {string} block
 * @returns {AttentionMap}
 */
export function attentionMap(weights, sides, special, block) {
  const axes = axesOf(sides, special, block), { queries, keys } = axes;
  const all = groupByUnit(weights, sides);
  const whole = queries.length === sides.query.count && keys.length === sides.key.count;
  const cut = whole && special !== "renormalised" ? all : submatrix(all, sides.key.count, queries, keys);
  if (special === "renormalised") for (const row of rowsOf(cut, keys.length)) normalise(row);
  let largest = 0;
  for (let index = 0; index < cut.length; index++) if (cut[index] > largest) largest = cut[index];
  return { ...axes, weights: cut, largest: largest || 1, all, special, block };
}

/**
 * What a query attends to (`from`: its row over the keys shown, even if the row itself is not), one weight for each unit
 * of the keys; or what attends to a key (`to`: its column of the map), one for each unit of the queries. 0 for units left
 * out.
 *
 * @param {AttentionMap} map
 * @param {number} unit
 * @param {string} direction
 * @param {UnitsOfSides} sides
 */
export function weightsOfUnit(map, unit, direction, sides) {
  if (direction === "to") {
    const weights = new Float32Array(sides.query.count), column = map.columnOf[unit];
    if (column >= 0) {
      map.queries.forEach((query, row) => { weights[query] = map.weights[row * map.keys.length + column]; });
    }
    return weights;
  }
  const weights = new Float32Array(sides.key.count);
  for (const key of map.keys) weights[key] = map.all[unit * sides.key.count + key];
  return map.special === "renormalised" ? normalise(weights) : weights;
}

/**
 * The mean weight that each unit of the keys receives over all tokens (of the block's queries).
 *
 * @param {AttentionMap} map
 * @param {UnitsOfSides} sides
 */
export function receivedWeights(map, sides) {
  const sums = new Float32Array(sides.key.count), { size } = sides.query;
  const queries = map.block === "all" ? size.keys() : map.queries;
  let tokens = 0;
  for (const query of queries) {
    tokens += size[query]; // a word counts once per token
    for (const key of map.keys) sums[key] += map.all[query * sides.key.count + key] * size[query];
  }
  if (map.special === "renormalised") return normalise(sums);
  return sums.map((weight) => weight / (tokens || 1));
}

/**
 * The total weight that queries in these rows give to keys in these columns (both inclusive), averaged over queries.
 */
export function blockMass(map, rows, columns, sides) {
  let total = 0, tokens = 0;
  for (let row = rows[0]; row <= rows[1]; row++) {
    const size = sides.query.size[map.queries[row]];
    tokens += size;
    for (let column = columns[0]; column <= columns[1]; column++) {
      total += map.weights[row * map.keys.length + column] * size;
    }
  }
  return tokens ? total / tokens : 0;
}

/** The least and the largest sum of a row: 1 unless keys are left out. */
export function rangeOfSums(map) {
  const sums = [...rowsOf(map.weights, map.keys.length)].map((row) => row.reduce((sum, weight) => sum + weight, 0));
  return [Math.min(...sums), Math.max(...sums)];
}

/** The mean weight on the first unit, over the queries that have a choice; 0 where it is left out. */
export function weightOfFirst({ keys, queries, weights }) {
  if (keys[0] !== 0 || queries.length < 2) return 0;
  const rows = [...rowsOf(weights, keys.length)].slice(queries[0] === 0 ? 1 : 0);
  return rows.reduce((sum, row) => sum + row[0], 0) / rows.length;
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

/**
 * The cumulative weights that the keys would receive on average, largest first, if every query of a causal map attended to
 * all keys that it can attend to alike: the first keys receive most.
 */
export function uniformCurve({ queries, keys, reach }, sides) {
  const received = new Float32Array(keys.length);
  queries.forEach((query, row) => {
    for (let column = 0; column < reach[row]; column++) received[column] += sides.query.size[query] / reach[row];
  });
  const total = received.reduce((sum, weight) => sum + weight, 0);
  return sortByWeight(received, [...received.keys()]).map(({ mass }) => mass / total);
}

function groupByUnit(weights, { query, key }) {
  const queries = query.of.length, keys = key.of.length;
  if (query.count === queries && key.count === keys) return weights;
  const grouped = new Float32Array(query.count * key.count);
  for (let row = 0; row < queries; row++) {
    const start = query.of[row] * key.count, share = 1 / query.size[query.of[row]];
    for (let column = 0; column < keys; column++) {
      grouped[start + key.of[column]] += weights[row * keys + column] * share;
    }
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
