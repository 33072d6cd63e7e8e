// What is shown of an attention: its weights, or value-weighted attention, the weights times the norms of what the keys
// pass on (viz_core/analysis/value_norms.py). The second is an input of its own, made of the first and of the norms.

/** @import { Input } from "../shared/records.js" */

import { postForBytes } from "../shared/server.js";
import { sidesOf } from "./units.js";

const SUFFIX = "_of_norms"; // of the messages that have another wording for norms

const views = new WeakMap(); // input -> its value-weighted input, or a promise of it

/**
 * The input with its weights, or value-weighted; a promise of that if the norms have to be fetched first.
 *
 * @param {Input} input
 * @param {string} measure
 * @returns {Input | Promise<Input>}
 */
export function ofMeasure(input, measure) {
  const weights = input.base ?? input;
  if (measure !== "norms" || !weights.measures.includes("norms")) return weights;
  if (!views.has(weights)) views.set(weights, weights.norms ? weighValues(weights, weights.norms) : fetchView(weights));
  return views.get(weights);
}

async function fetchView(input) {
  try {
    const bytes = await postForBytes(input.request, { measure: "norms" });
    if (bytes.length !== sizeOfNorms(input, sidesOf(input))) throw new Error(`${bytes.length} bytes of norms`);
    views.set(input, weighValues(input, bytes));
    return views.get(input);
  } catch (error) {
    views.delete(input);
    throw error;
  }
}

/** Bytes of the norms and of the largest number of each head, before the thumbnails. */
const startOfThumbnails = ({ layers, heads }, { key }) => 4 * layers * heads * (key.tokens + 1);

const arePooled = ({ grid: [rows, columns] }, { query, key }) => rows * columns < query.tokens * key.tokens;

/** Bytes of what packed_weights.py packs in pack_norms. */
export function sizeOfNorms(input, sides) {
  const { layers, heads, grid: [rows, columns] } = input;
  return startOfThumbnails(input, sides) + (arePooled(input, sides) ? layers * heads * rows * columns : 0);
}

/**
 * The value-weighted input, from the bytes of pack_norms. `unit`: what the weight 1 stands for in its matrices.
 *
 * @param {Input} input
 * @param {Uint8Array} bytes
 * @returns {Input}
 */
export function weighValues(input, bytes) {
  const { layers, heads, peaks, grid: [rows, columns] } = input, sides = sidesOf(input), keys = sides.key.tokens;
  const start = startOfThumbnails(input, sides), isPooled = arePooled(input, sides), size = rows * columns;
  const numbers = new Float32Array(bytes.slice(0, start).buffer), count = layers * heads * keys;
  const norms = numbers.subarray(0, count), largest = numbers.subarray(count);
  const unit = norms.reduce((most, norm) => Math.max(most, norm), 0) || 1;
  const indexOf = (layer, head) => layer * heads + head;
  const normsOf = (layer, head) => norms.subarray(indexOf(layer, head) * keys, (indexOf(layer, head) + 1) * keys);

  function matrix(layer, head) {
    const weights = input.matrix(layer, head);
    return weights && timesNorms(weights, normsOf(layer, head), unit);
  }

  /** Of single tokens from the thumbnail of the weights, which holds square roots of shares of the largest. */
  function thumbnail(layer, head) {
    const index = indexOf(layer, head);
    if (isPooled) return bytes.subarray(start + index * size, start + (index + 1) * size);
    const share = peaks[layer][head] / (largest[index] || 1);
    const roots = normsOf(layer, head).map((norm) => Math.sqrt(norm * share));
    return input.thumbnail(layer, head).map((root, cell) => Math.min(Math.round(root * roots[cell % keys]), 255));
  }

  const mean = (token) => normsOfToken(norms, keys, token) / (layers * heads);
  return { ...input, base: input, measure: "norms", unit, matrix, thumbnail, mean: null,
    peaks: peaks.map((row, layer) => row.map((_, head) => largest[indexOf(layer, head)])),
    received: (layer, head, token) => input.received(layer, head, token) * normsOf(layer, head)[token],
    receivedUniformly: (token) => input.receivedUniformly(token) * mean(token),
    request: input.request && { ...input.request, body: { ...input.request.body, measure: "norms" } } };
}

/** Weights `(Q * K)` times the norms of the keys `(K)`, in units of `unit`. */
function timesNorms(weights, norms, unit) {
  const keys = norms.length, weighted = new Float32Array(weights.length);
  for (let row = 0, at = 0; at < weights.length; row++) {
    for (let key = 0; key < keys; key++, at++) weighted[at] = (weights[at] * norms[key]) / unit;
  }
  return weighted;
}

/** The sum of the norms of a token in all heads. */
function normsOfToken(norms, keys, token) {
  let sum = 0;
  for (let at = token; at < norms.length; at += keys) sum += norms[at];
  return sum;
}

/** `say`, with the wording for norms while `input()` is value-weighted. */
export function measuredWording(say, catalogue, input) {
  return (key, values) => say(input().measure === "norms" && key + SUFFIX in catalogue ? key + SUFFIX : key, values);
}
