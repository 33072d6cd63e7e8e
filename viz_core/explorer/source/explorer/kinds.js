// The three attentions of a translation: what is selected in one of them, in another.

/**
 * The selection in the attention `before` as a selection in `after`, `{ query, key }`: the same tokens, as far as they are
 * there. The tokens that are produced are those that the decoder reads one position later.
 */
export function carryToKind({ query, key }, before, after) {
  const selected = [["query", query], ["key", key]].filter(([, token]) => token !== null);
  const into = (side) => selected.map(([from, token]) => (
    { from, token: samePlace(before.sides[from].name, token, after.sides[side]) })).filter(({ token }) => token !== null);
  const asQuery = into("query")[0] ?? null, asKey = into("key").find(({ from }) => from !== asQuery?.from) ?? null;
  return { query: asQuery?.token ?? null, key: asKey?.token ?? null };
}

/** A token of the side `name` on another side; null if it is not there. */
function samePlace(name, token, { name: other, tokens }) {
  const shifts = { "output target": 1, "target output": -1 };
  const index = name === other ? token : token + (shifts[`${name} ${other}`] ?? NaN);
  return index >= 0 && index < tokens ? index : null;
}
