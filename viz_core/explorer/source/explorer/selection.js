// The state shared by the views, and its short form in the link.

/** @import { Head, Input, State } from "../shared/records.js" */

import { same } from "../shared/remember.js";
import { typedTexts } from "./comparison/texts.js";
import { sidesOf } from "./units.js";

export const VIEW_NAMES = ["overview", "heatmap", "text", "links", "distribution"];
export const PRESENTED = ["heatmap", "links"]; // views of a presentation, beside all heads
export const CHOICES = {
  unit: ["word", "token"],
  special: ["shown", "hidden", "renormalised"],
  block: ["all", "aa", "ab", "ba", "bb"],
  scale: ["linear", "sqrt", "log"],
  limit: ["full", "own"],
  measure: ["weights", "norms"],
  direction: ["from", "to"],
  comparison: ["difference", "side"],
  order: ["position", "selected", "previous", "next", "self", "same", "cls", "sep", "punctuation", "first", "duplicate",
    "induction", "entropy", "distance"],
};

/**
 * heads: `[layer, head]` from 0; of several, the mean is shown. query, key: a token, or null (the average over all
 * queries; no key). range: `{ queries: [first, last], keys: [first, last] }`, tokens, both inclusive. hover: `{ query,
 * key }`, units. reference: an input to compare with, or null; referenceHeads: its heads, or null for those with the
 * same numbers as `heads`; follows: whether the reference has the text that is shown, whatever it is; comparison: how they
 * are compared, null until that is selected (comparison/reference.js); refusal: why there is no reference, or "". present:
 * the view that fills the window with all heads (presentation.js), of PRESENTED, or null. limit: of the colours
 * (darkestOf). measure: what to show (measures.js), as soon as it is there. failed: what could not be fetched, `norms` or
 * the weights of a head (true).
 *
 * @type {State}
 */
export const DEFAULTS = {
  heads: [[0, 0]], query: null, key: null, range: null, hover: null, unit: "token", special: "shown", block: "all",
  scale: "linear", limit: "full", measure: "weights", direction: "from", order: "position", views: ["overview", "heatmap"], failed: false, help: false,
  reference: null, referenceHeads: null, follows: false, comparison: null, refusal: "", present: null,
};

export const NARROW_VIEWS = ["overview", "links"]; // at first, on a phone

/** The part of the state that does not depend on the text. @param {State} state */
export function withoutTokens(state) {
  const { heads, unit, special, block, scale, limit, measure, direction, order, views, comparison, reference,
    follows, present } = state;
  // A reference with the heads that are shown keeps pace with them in the next text.
  return { heads, unit, special, block, scale, limit, measure, direction, order, views, comparison, reference,
    follows, present, referenceHeads: same(state.referenceHeads, heads) ? null : state.referenceHeads };
}

const LONGEST = 2000; // characters of a reference in a link, as in pages/shared/inputs.py

/**
 * The state as strings for the link; layers, heads and tokens counted from 1. A long reference is left out.
 *
 * @param {State} state
 * @param {Input} input
 * @returns {Record<string, string>}
 */
export function toLink(state, input) {
  const { unit, special, block, scale, limit, direction } = state;
  return {
    head: headsToLink(state.heads, input), query: state.query === null ? "all" : String(state.query + 1),
    key: state.key === null ? "" : String(state.key + 1), unit, special, block, scale, limit, direction,
    views: VIEW_NAMES.flatMap((name, index) => (state.views.includes(name) ? [index + 1] : [])).join(""),
    ...referenceToLink(state), ...(input.kinds && input.kind ? { kind: input.kind } : {}),
    ...(state.order === DEFAULTS.order ? {} : { order: state.order }),
    ...(state.measure === DEFAULTS.measure ? {} : { measure: state.measure }),
    ...(state.present ? { present: state.present } : {}),
  };
}

/** @returns {Record<string, string>} */
function referenceToLink({ reference, referenceHeads, follows, comparison }) {
  const texts = reference && !follows ? typedTexts(reference) : [];
  if (!reference || texts.join("").length > LONGEST) return {};
  return { ref_model: reference.model, ref_head: referenceHeads ? headsToLink(referenceHeads, reference) : "",
    ref_mode: comparison ?? "", ref_a: texts[0] ?? "", ref_b: texts[1] ?? "" };
}

/**
 * The state encoded in a link; whatever is missing or does not fit the input is left out.
 *
 * @param {Record<string, string>} link
 * @param {Input} input
 */
export function fromLink(link, input) {
  /** @type {Partial<State>} */
  const state = {};
  for (const name of ["unit", "special", "block", "scale", "limit", "measure", "direction", "order"]) {
    if (CHOICES[name].includes(link[name])) state[name] = link[name];
  }
  const heads = headsFromLink(link.head ?? "", input);
  if (heads.length) state.heads = heads;
  if (link.query === "all") state.query = null;
  else if (isToken(link.query, sidesOf(input).query)) state.query = Number(link.query) - 1;
  if (isToken(link.key, sidesOf(input).key)) state.key = Number(link.key) - 1;
  const views = VIEW_NAMES.filter((_, index) => (link.views ?? "").includes(String(index + 1)));
  if (views.length) state.views = views;
  if (PRESENTED.includes(link.present)) state.present = link.present;
  return state;
}

/**
 * All heads of a layer, all heads with the same number, or all heads: null means all.
 *
 * @param {number | null} layer
 * @param {number | null} head
 * @param {{ layers: number, heads: number }} input
 */
export function headsOf(layer, head, input) {
  /** @type {Head[]} */
  const all = [];
  for (let l = 0; l < input.layers; l++) for (let h = 0; h < input.heads; h++) {
    if ((layer === null || l === layer) && (head === null || h === head)) all.push([l, h]);
  }
  return all;
}

/** The arguments of `headsOf` that give these heads, `[layer, head]`; undefined for any other set. */
export function wholeSet(heads, input) {
  if (heads.length === 1) return heads[0];
  const common = (axis) => (heads.every((head) => head[axis] === heads[0][axis]) ? heads[0][axis] : null);
  const layer = common(0), head = common(1);
  return headsOf(layer, head, input).length === heads.length ? [layer, head] : undefined;
}

const number = (index) => (index === null ? "*" : index + 1);
const isToken = (text, side) => /^\d+$/.test(text ?? "") && Number(text) >= 1 && Number(text) <= side.tokens;

function headsToLink(heads, input) {
  const whole = wholeSet(heads, input);
  return (whole ? [whole] : heads).map(([layer, head]) => `${number(layer)}.${number(head)}`).join(" ");
}

/** The heads `[layer, head]` that a link names, from 0; those that the input does not have are left out. */
export function headsFromLink(text, input) {
  const heads = text.split(" ").flatMap((part) => {
    const match = /^(\d+|\*)\.(\d+|\*)$/.exec(part);
    if (!match) return [];
    const [layer, head] = match.slice(1).map((name) => (name === "*" ? null : Number(name) - 1));
    return headsOf(layer, head, input);
  });
  return [...new Map(heads.map((head) => [head.join("."), head])).values()];
}
