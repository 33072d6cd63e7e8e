// Differences to a reference: current minus reference, over the units that both have. The same arithmetic as
// viz_core/analysis/difference.py. NaN stands for what cannot be compared.

/** @import { Aligned, DifferenceMap, WeightMap } from "../../shared/records.js" */

/**
 * The difference of two maps (attention.js) on the axes of the current map: `weights` (Q * K), `largest` absolute
 * difference, and `mean`, the mean absolute difference over the cells that both maps have.
 *
 * @param {WeightMap} map
 * @param {WeightMap} reference
 * @param {Aligned} aligned
 * @returns {DifferenceMap}
 */
export function differenceMap(map, reference, { referenceOf }) {
  const { queries, keys } = map, weights = new Float32Array(queries.length * keys.length).fill(NaN);
  const columns = Array.from(keys, (key) => columnIn(reference.columnOf, referenceOf[key]));
  let largest = 0, total = 0, cells = 0;
  queries.forEach((query, row) => {
    const before = columnIn(reference.rowOf, referenceOf[query]) * reference.keys.length;
    if (before < 0) return;
    columns.forEach((column, key) => {
      if (column < 0) return;
      const at = row * keys.length + key;
      weights[at] = map.weights[at] - reference.weights[before + column];
      const size = Math.abs(weights[at]);
      if (size > largest) largest = size;
      total += size;
      cells++;
    });
  });
  return { ...map, weights, largest, mean: cells ? total / cells : 0, cells };
}

/** The difference of weights by unit, `(U,)`. */
export function differenceOfUnits(weights, reference, { referenceOf }) {
  return Float32Array.from(weights, (weight, unit) => (
    referenceOf[unit] < 0 ? NaN : weight - reference[referenceOf[unit]]));
}

/**
 * The sizes of a difference as a map: of all cells, of those that became stronger, and of those that became weaker.
 *
 * @param {DifferenceMap} difference
 */
export function sizesOf(difference) {
  const mapOf = (size) => ({ ...difference, weights: difference.weights.map((value) => size(value) || 0) }); // NaN: 0
  return { all: mapOf(Math.abs), stronger: mapOf((value) => Math.max(value, 0)),
    weaker: mapOf((value) => Math.max(-value, 0)) };
}

/** A unit's row or column in the reference's map, -1 without one. */
const columnIn = (indexOf, unit) => (unit < 0 ? -1 : indexOf[unit]);
