// What the query of a passage is called.

/** @import { Passage } from "../shared/records.js" */

/**
 * Its label; after the token that shows its character, if it is one of the bytes of that.
 *
 * @param {Pick<Passage, "query" | "marked" | "labels" | "groups" | "words" | "texts">} passage
 */
export function queryName({ query, marked, labels, groups, words, texts }) {
  if (marked === null || groups[marked] < 0) return query;
  const pieces = texts.flat(), place = pieces.findIndex(([, token]) => token === marked);
  if (pieces[place][0]) return query;
  const shown = pieces.slice(0, place).findLast(([string, token]) => string && words[token] === words[marked]);
  return shown ? `${labels[shown[1]]} · ${query}` : query;
}
