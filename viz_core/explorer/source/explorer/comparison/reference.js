// A reference: any input, that is a text read by a model, and the heads of it that are compared.

import { headLabel, headName } from "../../shared/names.js";
import { same } from "../../shared/remember.js";
import { wholeSet } from "../selection.js";

/** The state that compares with an input; heads: of it, or null for those with the same numbers as the current ones. */
export function referenceState(reference, referenceHeads) {
  return { reference, referenceHeads, follows: false, comparison: null, refusal: "" };
}

/** The state that pins what is shown now. */
export const pinnedState = (input, { heads }) => referenceState(input, heads);

/** The state without a comparison. */
export const NO_REFERENCE = referenceState(null, null);

/** `difference` or `side`: as selected, otherwise side by side, where nothing is left out that only one side has. */
export const comparisonMode = ({ comparison }) => comparison ?? "side";

/**
 * The heads of the reference that are compared: those selected for it, otherwise those with the same numbers as the
 * current ones, as far as its model has them; with none of them, the nearest.
 */
export function headsOfReference({ reference, referenceHeads, heads }) {
  const wanted = referenceHeads ?? heads;
  const existing = wanted.filter(([layer, head]) => layer < reference.layers && head < reference.heads);
  if (existing.length) return existing;
  const [layer, head] = wanted[0];
  return [[Math.min(layer, reference.layers - 1), Math.min(head, reference.heads - 1)]];
}

/** Whether the reference is just what is shown: right after pinning it, there is no difference to see. */
export function isSameAsReference(input, state) {
  return state.reference.id === input.id && same(headsOfReference(state), state.heads);
}

/** Heads in short: `2.1`, with its given name, if any; `2.*` for a whole layer, `*.*` for all, or several. */
export function shortHeads(heads, input) {
  if (heads.length === 1) return headLabel(input, ...heads[0]);
  const whole = wholeSet(heads, input);
  if (!whole) return heads.map(([layer, head]) => headName(layer, head)).join(" ");
  return whole.map((index) => (index === null ? "*" : index + 1)).join(".");
}

/** The name of a model as people read it; what is not from the server has only the other one. */
export const modelName = (/** @type {{ model: string, modelName?: string }} */ { model, modelName: name }) => name ?? model;
