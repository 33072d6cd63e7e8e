// The difference of every head as a thumbnail, over tokens, whatever the other views group by.

import { attentionMap, meanWeights } from "../attention.js";
import { unitsOf } from "../units.js";
import { alignUnits } from "./alignment.js";
import { differenceMap } from "./difference.js";
import { headsOfReference } from "./reference.js";

/**
 * For each head of the input its difference map to the reference, by `layer.head`; heads whose weights are not all in
 * the browser are missing. Thumbnails stand in for exact weights where each cell is a token.
 */
export function headDifferences(input, reference, referenceHeads) {
  const [units, others] = [input, reference].map((side) => unitsOf(side, "token"));
  const aligned = alignUnits(others, units), differences = new Map();
  const mapsOfReference = new Map(); // several heads may have the same reference
  const mapOf = (weights, units) => weights && attentionMap(weights, { query: units, key: units }, "shown", "all");
  for (let layer = 0; layer < input.layers; layer++) for (let head = 0; head < input.heads; head++) {
    const heads = headsOfReference({ reference, referenceHeads, heads: [[layer, head]] }), key = heads.join(" ");
    if (!mapsOfReference.has(key)) mapsOfReference.set(key, mapOf(weightsOf(reference, heads), others));
    const map = mapOf(weightsOf(input, [[layer, head]]), units), other = mapsOfReference.get(key);
    if (map && other) differences.set(`${layer}.${head}`, differenceMap(map, other, aligned));
  }
  return differences;
}

/** The mean weights of heads, from what was sent with the input; null if that is not enough. */
function weightsOf(input, heads) {
  if (heads.every((head) => input.has(...head))) return meanWeights(heads.map((head) => input.matrix(...head)));
  if (input.grid[0] !== input.tokens) return null;
  const parts = heads.map(([layer, head]) => [input.thumbnail(layer, head), input.peaks[layer][head]]);
  return Float32Array.from({ length: input.tokens ** 2 }, (_, cell) => (
    parts.reduce((sum, [thumbnail, peak]) => sum + (thumbnail[cell] / 255) ** 2 * peak, 0) / heads.length));
}
