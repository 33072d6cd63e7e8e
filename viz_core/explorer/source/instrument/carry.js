// What is selected, carried over to another text.

import { alignUnits } from "../explorer/comparison/alignment.js";
import { withoutTokens } from "../explorer/selection.js";
import { unitsOf } from "../explorer/units.js";

/**
 * The selection in `before` as a selection in `after`. The same input in another language keeps everything; another
 * text keeps the settings, and the tokens that it still has; another model keeps the settings that it can.
 */
export function carrySelection(state, before, after) {
  if (before.id === after.id) return state;
  const tokens = before.model === after.model ? carryTokens(state, before, after) : {};
  return { ...settingsThatFit(state, after), ...tokens };
}

function carryTokens({ query, key, range }, before, after) {
  const { currentOf } = alignUnits(unitsOf(before, "token"), unitsOf(after, "token"));
  const carry = (token) => (token === null || currentOf[token] < 0 ? null : currentOf[token]);
  const ends = range && Object.entries(range).map(([side, tokens]) => [side, tokens.map(carry)]);
  const isWhole = ends?.every(([, [first, last]]) => first !== null && last !== null && first <= last);
  return { query: carry(query), key: carry(key), range: isWhole ? Object.fromEntries(ends) : null };
}

/** Settings carried over to another input; the heads only if its model has them. */
function settingsThatFit(state, input) {
  const { heads, ...others } = withoutTokens(state);
  const exist = heads.every(([layer, head]) => layer < input.layers && head < input.heads);
  return { ...others, ...(exist ? { heads } : {}) };
}
