// Reads the bytes written by viz_core/explorer/packing.py: length of the header, header as JSON, thumbnails, what
// each key receives, exact weights, and what value-weighted attention needs.

/** @import { Attention, Description, Input, Kind, Readers, Side } from "../shared/records.js" */

import { sizeOfNorms } from "./measures.js";

/** Weights are sent as 16-bit fixed point; this value stands for a weight of 1. */
export const STEPS = 65535;

/**
 * Uint8Array -> the header with `thumbnail(layer, head)` on a `grid` of [rows, columns], `matrix(layer, head)` (null if
 * it was not sent), `has(layer, head)`, `received(layer, head, key)`, the mean weight that a token receives from all
 * queries, `receivedUniformly(key)`, the same of a uniform head, `mean`, `{ heads, weights }` or null, and `norms`, bytes
 * or null (measures.js); the header alone for a text that the model cannot read. Of a translation, the input of the
 * selected kind of attention, with `kinds` and `ofKind(kind)`, the inputs of the others.
 *
 * @param {Uint8Array} bytes
 * @returns {Input}
 */
export function unpack(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))), weights = bytes.subarray(4 + length);
  if (header.attentions) return unpackTranslation(header, weights);
  if (!header.tokens) return header;
  return { ...header, ...readers(header, weights, header.tokens, header.tokens) };
}

/**
 * The three attentions, each an input of its own with the sides that it connects.
 *
 * @param {Description & { attentions: (Attention & { kind: Kind, sides: [string, string] })[], sides: Record<string, Side> }} header
 * @param {Uint8Array} weights
 * @returns {Input}
 */
function unpackTranslation({ attentions, sides, ...common }, weights) {
  /** @type {Map<Kind, Input>} */
  const inputs = new Map();
  const kinds = attentions.map(({ kind }) => kind);
  let start = 0;
  for (const { sides: [query, key], ...attention } of attentions) {
    const { kind } = attention, queries = { ...sides[query], name: query };
    const keys = key === query ? queries : { ...sides[key], name: key };
    const request = common.request && { ...common.request, body: { ...common.request.body, kind } };
    const read = readers(attention, weights.subarray(start), queries.tokens, keys.tokens);
    inputs.set(kind, { ...common, ...attention, ...read, request, id: `${common.id} ${kind}`,
      sides: { query: queries, key: keys }, pair: false, kinds, ofKind: (other) => inputs.get(other) });
    start += startOfNorms(attention, queries.tokens, keys.tokens) + (read.norms?.length ?? 0);
  }
  return /** @type {Input} */ (inputs.get(/** @type {Kind} */ (common.selection.kind)) ?? inputs.get(kinds[0]));
}

/**
 * Functions that read the thumbnails and weights of one attention.
 *
 * @param {Attention} attention
 * @param {Uint8Array} bytes
 * @param {number} queries
 * @param {number} keys
 * @returns {Readers}
 */
function readers(attention, bytes, queries, keys) {
  const { layers, heads, grid: [rows, columns], peaks, thumbnails } = attention, size = rows * columns;
  const cells = queries * keys, start = startOfMatrices(attention, keys);
  const means = joinPlanes(bytes.subarray(startOfMeans(attention), start), layers * heads * keys);
  const sent = new Map(attention.sent.map(([layer, head], index) => [`${layer}.${head}`, index]));

  function matrix(layer, head) {
    const index = sent.get(`${layer}.${head}`);
    return index === undefined ? null : joinPlanes(bytes.subarray(start + index * cells * 2), cells, attention.steps);
  }

  function thumbnail(layer, head) {
    if (!thumbnails) return thumbnailOf(matrix(layer, head), peaks[layer][head]);
    return bytes.subarray((layer * heads + head) * size, (layer * heads + head + 1) * size);
  }

  const received = (layer, head, key) => means[(layer * heads + head) * keys + key] / STEPS;
  const mean = attention.mean
    ? { heads: attention.mean, weights: joinPlanes(bytes.subarray(start + sent.size * cells * 2), cells) } : null;

  const sides = { query: { tokens: queries }, key: { tokens: keys } }, rest = bytes.subarray(startOfNorms(attention, queries, keys));
  const norms = attention.hasNorms ? rest.subarray(0, sizeOfNorms(attention, sides)) : null;

  return { measure: "weights", unit: 1, norms, has: (layer, head) => sent.has(`${layer}.${head}`), matrix, thumbnail, received, mean,
    receivedUniformly: (key) => receivedUniformly(attention.kind, queries, keys, key) };
}

/** The mean weight that a key receives from queries that give the same weight to every key that they can attend to. */
function receivedUniformly(kind, queries, keys, key) {
  if (kind !== "causal") return 1 / keys;
  let sum = 0;
  for (let query = key; query < queries; query++) sum += 1 / (query + 1);
  return sum / queries;
}

/** Bytes of the thumbnails, which come first; and of these with what each key receives, before the exact weights. */
const startOfMeans = ({ layers, heads, grid: [rows, columns], thumbnails }) => (
  thumbnails ? layers * heads * rows * columns : 0);
const startOfMatrices = (attention, keys) => startOfMeans(attention) + attention.layers * attention.heads * keys * 2;

/** Bytes before the norms. */
function startOfNorms(attention, queries, keys) {
  const matrices = attention.sent.length + (attention.mean ? 1 : 0);
  return startOfMatrices(attention, keys) + matrices * queries * keys * 2;
}

/**
 * Weights from all high bytes followed by all low bytes. steps: what stands for a weight of 1 in them.
 *
 * @param {Uint8Array} bytes
 * @param {number} count
 */
export function joinPlanes(bytes, count, steps = STEPS) {
  const weights = new Uint16Array(count), scale = STEPS / steps;
  for (let index = 0; index < count; index++) weights[index] = ((bytes[index] << 8) | bytes[count + index]) * scale + 0.5;
  return weights;
}

/** A small head as its own thumbnail: the square root of each weight relative to the largest, as bytes. */
function thumbnailOf(matrix, peak) {
  const scale = 1 / (STEPS * (peak || 1));
  return Uint8Array.from(matrix, (weight) => Math.min(Math.round(Math.sqrt(weight * scale) * 255), 255));
}
