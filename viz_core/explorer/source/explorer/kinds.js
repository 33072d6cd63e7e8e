// The three attentions of a translation: what is selected in one of them, in the others.

/** Nothing selected in either sentence. */
export const NOWHERE = { source: null, target: null };

/**
 * The selected token of each sentence, `{ source, target }`, the one of the target as it is read: the token that is
 * produced at a position is read at the next one. state: `{ query, key }` in the attention of `input`; before: the tokens
 * that were selected earlier, which are kept in a sentence that this attention does not have.
 */
export function placesOf(state, { sides }, before) {
  const places = { ...before };
  for (const { name } of Object.values(sides)) places[sentenceOf(name)] = null;
  for (const side of ["key", "query"]) {
    const { name } = sides[side];
    if (state[side] !== null) places[sentenceOf(name)] = state[side] + (name === "output" ? 1 : 0);
  }
  return places;
}

/** The selection `{ query, key }` of these tokens in the attention of `input`; within one sentence the query alone. */
export function selectionAt(places, { sides: { query, key } }) {
  return { query: tokenAt(places, query), key: key === query ? null : tokenAt(places, key) };
}

const sentenceOf = (name) => (name === "source" ? "source" : "target");

function tokenAt(places, { name, tokens }) {
  const place = places[sentenceOf(name)], token = place === null || name !== "output" ? place : place - 1;
  return token !== null && token >= 0 && token < tokens ? token : null;
}
