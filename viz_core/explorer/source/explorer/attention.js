// What is cut from a head's weights for the views. The same arithmetic as viz_core/analysis/selection.py, in the browser
// because a view must not wait for the server; tests/explorer/test_arithmetic.py holds the two together.

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

const known = new WeakMap(); // units -> the axes made of them: the same object for the same choice

/**
 * Which units stand in rows and columns: `queries` and `keys`, and the row (`rowOf`) and column (`columnOf`) of a unit, -1
 * where it is left out. special, block: as on the server.
 */
export function axesOf(units, special, block) {
  if (!known.has(units)) known.set(units, new Map());
  const found = known.get(units), choice = `${special} ${block}`;
  if (!found.has(choice)) {
    const shown = (unit, side) => (special === "shown" || units.groups[unit] >= 0) &&
      (block === "all" || units.segments[unit] === "ab".indexOf(block[side]));
    const every = Array.from({ length: units.count }, (_, unit) => unit);
    const queries = every.filter((unit) => shown(unit, 0)), keys = every.filter((unit) => shown(unit, 1));
    found.set(choice, { queries, keys, rowOf: places(queries, units.count), columnOf: places(keys, units.count) });
  }
  return found.get(choice);
}

/**
 * Weights from queries (rows) to keys (columns), as they are drawn: `weights` (Q * K) on the axes of `axesOf`, `largest`,
 * and `all`, the weights between all units. Words: summed over a word's keys, averaged over its queries.
 */
export function attentionMap(weights, units, special, block) {
  const axes = axesOf(units, special, block), { queries, keys } = axes, { count } = units;
  const all = byUnit(weights, units);
  const whole = queries.length === count && keys.length === count;
  const cut = whole && special !== "renormalised" ? all : chosen(all, count, queries, keys);
  if (special === "renormalised") for (const row of rowsOf(cut, keys.length)) toOne(row);
  let largest = 0;
  for (let index = 0; index < cut.length; index++) if (cut[index] > largest) largest = cut[index];
  return { ...axes, weights: cut, largest: largest || 1, all, special, block };
}

/**
 * What one unit looks at (`from`: its row, cut to the keys that are shown, whether or not its own row is), or what looks
 * at it (`to`: its column of the map). Aligned with all units; 0 where left out.
 */
export function weightsOfUnit(map, unit, direction, units) {
  const found = new Float32Array(units.count);
  if (direction === "from") {
    for (const key of map.keys) found[key] = map.all[unit * units.count + key];
    if (map.special === "renormalised") toOne(found);
  } else if (map.columnOf[unit] >= 0) {
    map.queries.forEach((query, row) => { found[query] = map.weights[row * map.keys.length + map.columnOf[unit]]; });
  }
  return found;
}

/** What every unit receives on average from all tokens (of the block's queries), aligned with all units. */
export function received(map, units) {
  const found = new Float32Array(units.count);
  const queries = map.block === "all" ? units.labels.keys() : map.queries;
  let tokens = 0;
  for (const query of queries) {
    tokens += units.size[query]; // a word's tokens each count
    for (const key of map.keys) found[key] += map.all[query * units.count + key] * units.size[query];
  }
  if (map.special === "renormalised") return toOne(found);
  return found.map((weight) => weight / (tokens || 1));
}

/** The mean share of its weight that a query in these rows gives to all keys in these columns (both inclusive). */
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

/** Units by falling weight, each with the mass of all up to it: `[{ unit, weight, mass }]`; `among` names the units. */
export function sorted(weights, among) {
  let mass = 0;
  return byWeight(weights, among).map((unit) => ({ unit, weight: weights[unit], mass: (mass += weights[unit]) }));
}

/** How many of the sorted units hold at least `share` of all the mass there is. */
export function holders(rows, share) {
  const enough = share * (rows.at(-1)?.mass ?? 0) - 1e-6;
  return rows.findIndex(({ mass }) => mass >= enough) + 1;
}

function byUnit(weights, units) {
  const { count, of, size } = units, tokens = of.length;
  if (count === tokens) return weights;
  const grouped = new Float32Array(count * count);
  for (let query = 0; query < tokens; query++) {
    const start = of[query] * count, share = 1 / size[of[query]];
    for (let key = 0; key < tokens; key++) grouped[start + of[key]] += weights[query * tokens + key] * share;
  }
  return grouped;
}

function chosen(weights, count, queries, keys) {
  const cut = new Float32Array(queries.length * keys.length);
  let at = 0;
  for (const query of queries) for (const key of keys) cut[at++] = weights[query * count + key];
  return cut;
}

function* rowsOf(weights, columns) {
  for (let start = 0; start < weights.length; start += columns) yield weights.subarray(start, start + columns);
}

/** Scaled in place so that they sum to 1; left alone where there is no weight at all. */
function toOne(weights) {
  let total = 0;
  for (let index = 0; index < weights.length; index++) total += weights[index];
  if (total > 0) for (let index = 0; index < weights.length; index++) weights[index] /= total;
  return weights;
}

function places(units, count) {
  const found = new Int32Array(count).fill(-1);
  units.forEach((unit, place) => { found[unit] = place; });
  return found;
}
