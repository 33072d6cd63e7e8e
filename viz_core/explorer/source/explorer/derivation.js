// What the views draw, computed from the state: the map of the selected heads, and the weights of the selected token.

import { attentionMap, axesOf, receivedWeights, weightsOfUnit } from "./attention.js";
import { MAX_SEPARATE } from "./matrices.js";
import { unitsOfSides } from "./units.js";

/** Parts of the state that change which weights are shown; all others only change how they are drawn. */
export const DATA = ["heads", "unit", "special", "block", "weights"];

/**
 * `update(state)`, after changes of DATA, and `select(state)`, which returns everything that the views draw: `sides`,
 * the units of both (units.js), `axes`, `map` and `maps`, the selected units `query` and `key`, and `weights` of the units
 * of the side `over`. `token` is the unit whose weights they are, null for the mean over all queries. `units`: of the
 * queries.
 */
export function createDerivation(input, matrices) {
  const isSquare = !input.sides || input.sides.query === input.sides.key;
  let derived = { unit: null, sides: null, units: null, axes: null, map: null, maps: [] };
  return {
    units: () => derived.units,
    /** The mean map of the selected heads and the map of each; null and empty until their weights have arrived. */
    update({ heads, unit, special, block }) {
      const sides = unit === derived.unit ? derived.sides : unitsOfSides(input, unit), weights = matrices.weights(heads);
      const map = weights && attentionMap(weights, sides, special, block);
      let maps = map ? [map] : [];
      if (map && heads.length > 1 && heads.length <= MAX_SEPARATE) {
        maps = heads.map((head) => attentionMap(matrices.weights([head]), sides, special, block));
      }
      derived = { unit, sides, units: sides.query, axes: axesOf(sides, special, block), map, maps };
    },
    /**
     * The selected query and key as units, and the weights from a query or to a key, or received on average. What is
     * attended to is a key: between two sentences the selected one, within one sentence the selected token.
     */
    select({ query, key, direction }) {
      const { sides, map } = derived, unit = (side, token) => (token === null ? null : sides[side].of[token]);
      const selected = { query: unit("query", query), key: unit("key", key) };
      const token = isSquare || direction === "from" ? selected.query : selected.key;
      const over = token !== null && direction === "to" ? "query" : "key";
      const weights = !map ? null
        : token === null ? receivedWeights(map, sides) : weightsOfUnit(map, token, direction, sides);
      return { ...derived, ...selected, isSquare, token, over, weights };
    },
  };
}
