// The difference of every head as a thumbnail, over tokens, whatever the other views group by.

import { attentionMap, meanWeights } from "../attention.js";
import { unitsOf } from "../units.js";
import { alignReplaced, alignUnits } from "./alignment.js";
import { differenceMap } from "./difference.js";
import { headsOfReference } from "./reference.js";

/**
 * For each head of the input its difference map to the reference, by `layer.head`. Thumbnails stand in for weights that
 * are not in the browser: where each cell is a token, and for the same tokens also where a cell is the largest weight of
 * a block. Of long texts that differ, only the heads are there whose weights are.
 */
export function headDifferences(input, reference, referenceHeads) {
  if (arePooled(input, reference)) return pooledDifferences(input, reference, referenceHeads);
  const [units, others] = [input, reference].map((side) => unitsOf(side, "token"));
  const aligned = alignReplaced(others, units, alignUnits(others, units)), differences = new Map();
  const mapsOfReference = new Map(); // several heads may have the same reference
  const mapOf = (weights, units) => weights && attentionMap(weights,
    { query: units, key: units, isCausal: false }, "shown", "all");
  for (let layer = 0; layer < input.layers; layer++) for (let head = 0; head < input.heads; head++) {
    const heads = headsOfReference({ reference, referenceHeads, heads: [[layer, head]] }), key = heads.join(" ");
    if (!mapsOfReference.has(key)) mapsOfReference.set(key, mapOf(weightsOf(reference, heads), others));
    const map = mapOf(weightsOf(input, [[layer, head]]), units), other = mapsOfReference.get(key);
    if (map && other) differences.set(`${layer}.${head}`, differenceMap(map, other, aligned));
  }
  return differences;
}

/** Whether thumbnails have to be compared block by block, and can be: both inputs have the same tokens. */
export const arePooled = (input, reference) => input.grid[0] !== input.tokens
  && !(sendsAll(input) && sendsAll(reference)) && String(input.labels) === String(reference.labels);

const sendsAll = ({ layers, heads, sent }) => sent.length === layers * heads;

function pooledDifferences(input, reference, referenceHeads) {
  const differences = new Map(), [rows, columns] = input.grid, axes = { queries: range(rows), keys: range(columns) };
  for (let layer = 0; layer < input.layers; layer++) for (let head = 0; head < input.heads; head++) {
    const heads = headsOfReference({ reference, referenceHeads, heads: [[layer, head]] });
    const before = pooledWeights(reference, heads);
    const weights = pooledWeights(input, [[layer, head]]).map((weight, cell) => weight - before[cell]);
    const sizes = weights.map(Math.abs);
    differences.set(`${layer}.${head}`, { ...axes, weights, largest: Math.max(...sizes),
      mean: sizes.reduce((sum, size) => sum + size, 0) / sizes.length });
  }
  return differences;
}

const range = (count) => Array.from({ length: count }, (_, index) => index);

/** The mean over heads of the largest weight in each block. */
function pooledWeights(input, heads) {
  const parts = heads.map(([layer, head]) => [input.thumbnail(layer, head), input.peaks[layer][head]]);
  return Float32Array.from(parts[0][0], (_, cell) => (
    parts.reduce((sum, [thumbnail, peak]) => sum + (thumbnail[cell] / 255) ** 2 * peak, 0) / heads.length));
}

/** The mean weights of heads, from what was sent with the input; null if that is not enough. */
function weightsOf(input, heads) {
  if (heads.every((head) => input.has(...head))) return meanWeights(heads.map((head) => input.matrix(...head)), input.unit);
  if (input.grid[0] !== input.tokens) return null;
  return pooledWeights(input, heads);
}
