// What the views draw, computed from the state: the map of the selected heads, and the weights of the selected token.

/** @import { createMatrices } from "./matrices.js" */
/** @import { Derived, Input, State } from "../shared/records.js" */

import { remember } from "../shared/remember.js";
import { attentionMap, axesOf, receivedWeights, weightsOfUnit } from "./attention.js";
import { MAX_SEPARATE } from "./matrices.js";
import { sidesOf, unitsOfSides } from "./units.js";

/**
 * `sidesIn(unit)`: the units of both sides (units.js). `derive(state)` returns everything that the views draw: `sides`,
 * `axes`, the mean `map` of the selected heads and the `maps` of each, null and empty until their weights have arrived;
 * the selected units `query` and `key`, and `weights` of the units of the side `over`: from a query, to a key, or received
 * on average. What is attended to is a key: between two sentences the selected one, within one sentence the selected
 * token. `token` is the unit whose weights they are, null for the mean over all queries. `units`: of the queries;
 * `tokens`: how many the keys have.
 *
 * @param {Input} input
 * @param {ReturnType<typeof createMatrices>} matrices
 */
export function createDerivation(input, matrices) {
  const isSquare = !input.sides || input.sides.query === input.sides.key;
  const sidesIn = remember((unit) => unitsOfSides(input, unit)), mapOf = remember(attentionMap);
  const mapsOf = remember((_weights, heads, sides, special, block) => (
    matrices.weightsOfEach(heads).map((weights) => attentionMap(weights, sides, special, block))));
  const weightsOf = remember((map, token, direction, sides) => (
    token === null ? receivedWeights(map, sides) : weightsOfUnit(map, token, direction, sides)));
  return {
    sidesIn,
    /** @type {(state: State) => Derived} */
    derive({ heads, unit, special, block, ...selected }) {
      const sides = sidesIn(unit), all = matrices.weights(heads);
      const map = all && mapOf(all, sides, special, block), isSeparate = heads.length > 1 && heads.length <= MAX_SEPARATE;
      const maps = !map ? [] : isSeparate ? mapsOf(all, heads, sides, special, block) : [map];
      const unitOf = (side) => (selected[side] === null ? null : sides[side].of[selected[side]]);
      const query = unitOf("query"), key = unitOf("key"), { direction } = selected;
      const token = isSquare || direction === "from" ? query : key;
      return { unit, sides, units: sides.query, axes: axesOf(sides, special, block), map, maps, query, key, isSquare, token, tokens: sidesOf(input).key.tokens,
        over: token !== null && direction === "to" ? "query" : "key",
        weights: map && weightsOf(map, token, direction, sides) };
    },
  };
}
