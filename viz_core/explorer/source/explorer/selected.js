// What a selected token attends to most, or is attended to by, beside what a uniform head would give.

import { tokenName } from "../shared/names.js";
import { canAttend } from "./attention.js";
import { formatWeight } from "./legend.js";

/** The unit with the largest of the weights that are drawn, of those that `isMeant` allows; null without any. */
export function strongestOf({ over, weights, axes }, isMeant = (_unit) => true) {
  const units = (over === "key" ? axes.keys : axes.queries).filter(isMeant);
  return units.length ? units.reduce((best, unit) => (weights[unit] > weights[best] ? unit : best)) : null;
}

/** The weight of a key in a row that gives every token the same; of a word, that of its tokens together. */
export function uniformWeight({ sides, map }, query, key) {
  const { size, count } = sides.key;
  const keys = map.special === "renormalised" ? map.keys : Array.from({ length: count }, (_, unit) => unit);
  const total = keys.reduce((sum, unit) => sum + (canAttend(sides, query, unit) ? size[unit] : 0), 0);
  return size[key] / total;
}

/** The sentence about the selected token. */
export function selectedSentence(say, { direction }, derived) {
  const { sides, over, token, weights } = derived, strongest = strongestOf(derived);
  const [query, key] = over === "key" ? [token, strongest] : [strongest, token];
  if (strongest === null) return say("range_hidden");
  return say(`selected_${direction}`, { query: tokenName(sides.query, query), key: tokenName(sides.key, key),
    weight: formatWeight(weights[strongest]), uniform: formatWeight(uniformWeight(derived, query, key)) });
}
