// The steps in the order in which the model computes them, and the box of the diagram that each belongs to.

/** @import { InsideRecord } from "../shared/records.js" */

import { START } from "./state.js";
import { EMBEDDING } from "./steps_embedding.js";
import { HEAD } from "./steps_head.js";
import { LAYER } from "./steps_layer.js";
import { POSITION } from "./steps_position.js";
import { isOfTokens, PREDICTION } from "./steps_prediction.js";

const BUILDERS = { ...EMBEDDING, ...HEAD, ...POSITION, ...LAYER, ...PREDICTION };
const OF_HEAD = ["query", "keys", "values", "head_norm", "rotation", "products", "scores", "scaling", "cap", "bias", "mask", "softmax",
  "weighting", "heads", "projection"];
const CLASSIFIER = ["pooling", "classifier_hidden", "logits", "logit_cap"];
const NORMS = ["attention_norm", "feedforward_norm", "head_norm", "attention_output_norm", "feedforward_output_norm"];
// What a record has that computes these.
const NEEDED = { head_norm: "head.unnormed_query", rotation: "head.unrotated_query", bias: "head.bias", cap: "head.capped",
  embedding_norm: "norms.embedding", attention_norm: "norms.attention", feedforward_norm: "norms.feedforward",
  attention_output_norm: "norms.attention_output", feedforward_output_norm: "norms.feedforward_output",
  classifier_hidden: "prediction.hidden", logit_cap: "prediction.uncapped" };
// Steps in which something can be changed.
export const TOUCHED = ["scores", "scaling", "cap", "bias", "mask", "softmax", "weighting"];
const BOXES = {
  embedding: "embedding", embedding_norm: "embedding", stem: "stem", mapping: "mapping", attention_norm: "attention_norm", attention_add: "attention_add",
  attention_output_norm: "attention_output_norm", feedforward_output_norm: "feedforward_output_norm",
  feedforward_norm: "feedforward_norm", feedforward: "feedforward", feedforward_add: "feedforward_add", layers: "layers",
  pooling: "pooling", classifier_hidden: "classifier_hidden", logits: "classifier", logit_cap: "classifier", temperature: "temperature", probability: "probability",
};

/**
 * The names of the steps of a model, START first; without a classifier they end with the layers.
 *
 * @param {InsideRecord} record
 */
export function stepsOf({ norm, parallel, has, sizes: { C }, prediction: { temperature } }) {
  const pre = norm === "pre", stem = has("query.convolved") ? ["stem"] : has("query.stem") ? ["mapping"] : [];
  const attention = [...OF_HEAD, "attention_output_norm", ...(parallel ? [] : ["attention_add"])];
  const feedforward = ["feedforward", "feedforward_output_norm", "feedforward_add"];
  const layer = pre ? ["attention_norm", ...attention, "feedforward_norm", ...feedforward]
    : [...attention, "attention_norm", ...feedforward, "feedforward_norm"];
  const output = [...CLASSIFIER, ...(temperature === null ? [] : ["temperature"]), "probability"];
  return [START, "embedding", "embedding_norm", ...stem, ...layer, "layers", ...(C ? output : [])]
    .filter((step) => !NEEDED[step] || has(NEEDED[step]));
}

/** The key of the title of a step in the catalogue: for the next token nothing is pooled, and there are no classes;
 * nothing follows the last layer. */
export function titleOf(step, { pooling, layer, centred, divisor, sizes: { L, d }, prediction }) {
  if (NORMS.includes(step) && !centred) return `step_${step}_rms`;
  if (step === "scaling" && divisor !== d) return "step_scaling_by";
  if (step === "logits" && isOfTokens(prediction)) return "step_logits_of_many";
  if (step === "pooling" && [null, "last"].includes(pooling)) return "step_pooling_translation";
  return step === "layers" && layer + 1 === L ? "step_layers_last" : `step_${step}`;
}

/** The box of the diagram that a step is in. */
export const boxOf = (step) => BOXES[step] ?? (OF_HEAD.includes(step) ? "attention" : null);

/** The step that opening a box leads to. */
export const stepOfBox = (box) => (box === "attention" ? "query" : Object.keys(BOXES).find((step) => BOXES[step] === box));

/**
 * What a step shows: `formula`, `shape`, `values` of its sentence, `note` (a key of the catalogue, by default that of
 * the step), `strongest`, the key that the sentence names, `panels`, columns beside the tokens (rows.js), and `parts`, the computation for the query (detail.js).
 */
export const build = (step, view, say) => BUILDERS[step](view, say);
