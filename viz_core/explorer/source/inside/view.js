// What the steps draw: the record of the server, and what follows at once in the browser from a change.

/** @import { Arrays, HeadChanges, InsideRecord, Kind } from "../shared/records.js" */

import { tokenName } from "../shared/names.js";
import { remember } from "../shared/remember.js";
import { entropy, joinRows, layerNorm, weighKeys, weighValues } from "./arithmetic.js";

/**
 * The record with everything that depends on the changes computed anew: `scores`, `scaled`, `masked`, `weights` (K),
 * `visible`, `values` (W, d), `context` (d), `entropy`. `before`: weights and entropy of the unchanged head.
 * `isCurrent`: whether the record is of the layer, head and query that are set; if not, it is shown until theirs comes.
 * matrices, window: of the step (fetched.js), or null; `stream` and `reads` (W, D) of the window, or null.
 *
 * @param {InsideRecord} record
 * @param {{ kind: Kind, layer: number, head: number, query: number, key: number, changes: HeadChanges }} state
 * @param {{ matrices?: Arrays | null, window?: Arrays | null }} [fetched]
 */
export function viewOf(record, state, { matrices = null, window = null } = {}) {
  const isCurrent = ["kind", "layer", "head", "query"].every((name) => record[name] === state[name]);
  const changes = isCurrent ? state.changes : record.state.changes, { d } = record.sizes, { divisor, cap, slidingWindow } = record;
  const { start, length } = record.window, isShown = state.key >= start && state.key < start + length;
  const key = isCurrent && isShown ? state.key : record.key;
  const head = { divisor, cap, slidingWindow, query: record.query, causal: record.kind === "causal", bias: record.has("head.bias") ? record.array("head.bias") : null };
  const scores = record.array("head.scores"), now = weighKeys(scores, head, changes);
  const factor = (changes.values ?? 1) / (record.state.changes.values ?? 1);
  const values = record.array("head.values").map((value) => value * factor);
  const isWhole = length === record.sizes.K;
  const before = record.unchanged ? record.array("unchanged.weights") : weighKeys(scores, head).weights;
  const visible = now.visible.filter(Boolean).length;
  return {
    record, state, isCurrent, matrices, stream: window?.array("window.stream"), reads: window && readsOf(record, window), scores, ...now, values, start, length, key,
    query: record.query,
    context: isWhole ? weighValues(now.weights, values, d) : record.array("head.context"),
    entropy: entropy(now.weights, visible),
    before: { weights: before, entropy: record.unchanged?.entropy ?? record.entropy },
    queryName: tokenName(record.sides.query, record.query),
    keyName: tokenName(record.sides.key, key),
    keyNames: namesOf(record.sides.key, record.sizes.K),
    /** Of the selected key: rows of the window are those of keys, values and `rows.…`. */
    ofKey: (array, columns) => array.subarray((key - start) * columns, (key - start + 1) * columns),
  };
}

// What does not depend on changes is computed once for a record.
const namesOf = remember((keys, count) => Array.from({ length: count }, (_, index) => tokenName(keys, index)));

/** (W, D): what keys and values are computed from, the residual stream, in a pre-norm model that does so normalised. */
const readsOf = remember((record, window) => {
  const name = record.kind === "cross" ? "norms.source" : "norms.attention";
  if (record.norm !== "pre" || !record.has(name)) return window.array("window.stream");
  const { D } = record.sizes, norm = record.array(name);
  const [weight, bias] = [norm.subarray(0, D), norm.subarray(D)];
  return joinRows(window.rows("window.stream").map((row) => layerNorm(row, weight, bias, record.epsilon, record.centred)));
});
