// What the views draw, computed from the state: the map of the selected heads, and the weights of the selected token.

import { attentionMap, axesOf, receivedWeights, weightsOfUnit } from "./attention.js";
import { MAX_SEPARATE } from "./matrices.js";
import { unitsOf } from "./units.js";

/** Parts of the state that change which weights are shown; all others only change how they are drawn. */
export const DATA = ["heads", "unit", "special", "block", "weights"];

/**
 * `update(state)`, after changes of DATA, and `select(state)`, which returns everything that the views draw: `units`,
 * `axes`, `map` and `maps`, the selected units `query` and `key`, and `weights`.
 */
export function createDerivation(input, matrices) {
  let derived = { unit: null, units: null, axes: null, map: null, maps: [] };
  return {
    units: () => derived.units,
    /** The mean map of the selected heads and the map of each; null and empty until their weights have arrived. */
    update({ heads, unit, special, block }) {
      const units = unit === derived.unit ? derived.units : unitsOf(input, unit), weights = matrices.weights(heads);
      const map = weights && attentionMap(weights, units, special, block);
      let maps = map ? [map] : [];
      if (map && heads.length > 1 && heads.length <= MAX_SEPARATE) {
        maps = heads.map((head) => attentionMap(matrices.weights([head]), units, special, block));
      }
      derived = { unit, units, axes: axesOf(units, special, block), map, maps };
    },
    /** The selected query and key as units, and each unit's weight: from or to the query, or received on average. */
    select({ query, key, direction }) {
      const { units, map } = derived, unit = (token) => (token === null ? null : units.of[token]);
      let weights = null;
      if (map) {
        weights = query === null ? receivedWeights(map, units) : weightsOfUnit(map, unit(query), direction, units);
      }
      return { ...derived, query: unit(query), key: unit(key), weights };
    },
  };
}
