// The three attentions of a translation: what is selected in one of them, in the others.

/** @import { Input, Side } from "../shared/records.js" */

import { sidesOf } from "./units.js";

/** Nothing selected in either sentence. @type {{ source: number | null, target: number | null }} */
export const NOWHERE = { source: null, target: null };

/**
 * The selected token of each sentence, `{ source, target }`, the one of the target as it is read: the token that is
 * produced at a position is read at the next one. state: `{ query, key }` in the attention of `input`; before: the tokens
 * that were selected earlier, which are kept in a sentence that this attention does not have.
 *
 * @param {{ query: number | null, key: number | null }} state
 * @param {Input} input
 * @param {{ source: number | null, target: number | null }} before
 */
export function placesOf(state, input, before) {
  const places = { ...before }, sides = sidesOf(input);
  for (const { name } of Object.values(sides)) places[sentenceOf(name)] = null;
  for (const side of ["key", "query"]) {
    const { name } = sides[side];
    if (state[side] !== null) places[sentenceOf(name)] = state[side] + (name === "output" ? 1 : 0);
  }
  return places;
}

/** The selection `{ query, key }` of these tokens in the attention of `input`; within one sentence the query alone. */
export function selectionAt(places, input) {
  const { query, key } = sidesOf(input);
  return { query: tokenAt(places, query), key: key === query ? null : tokenAt(places, key) };
}

const sentenceOf = (name) => (name === "source" ? "source" : "target");

function tokenAt(places, /** @type {Side} */ { name, tokens }) {
  const place = places[sentenceOf(name)], token = place === null || name !== "output" ? place : place - 1;
  return token !== null && token >= 0 && token < tokens ? token : null;
}
