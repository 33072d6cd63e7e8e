// The units shown: tokens, or words (runs of neighbouring tokens), on both sides of an attention.

/** @import { Input, Side, Units, UnitsOfSides } from "../shared/records.js" */

/**
 * The texts of both sides, each with its tokens; in self-attention both are the input itself.
 *
 * @param {Input} input
 * @returns {{ query: Side, key: Side }}
 */
export const sidesOf = (input) => input.sides ?? { query: input, key: input };

/** Whether words and tokens differ, so that there is a choice between them. */
export const hasWords = (input) => Object.values(sidesOf(input)).some(({ tokens, words }) => (
  new Set(words).size < tokens));

/**
 * The units of both sides; isCausal: no query attends to a later key.
 *
 * @param {Input} input
 * @param {string} unit
 * @returns {UnitsOfSides}
 */
export function unitsOfSides(input, unit) {
  const sides = sidesOf(input), query = unitsOf(sides.query, unit);
  return { query, key: sides.key === sides.query ? query : unitsOf(sides.key, unit), isCausal: input.kind === "causal" };
}

/**
 * Of one side: `count`; labels, groups (-1 special, 0 A, 1 B) and segments of each unit; `first`, `size`: its first token and its
 * number of tokens; `of`: the unit of each token.
 *
 * @param {Side} side
 * @param {string} unit
 * @returns {Units}
 */
export function unitsOf(side, unit) {
  const { tokens, labels, groups, segments, words, wordLabels } = side;
  if (unit === "token") {
    const indices = Int32Array.from({ length: tokens }, (_, index) => index);
    const size = new Int32Array(tokens).fill(1);
    return { count: tokens, labels, groups, segments, first: indices, size, of: indices };
  }
  /** @type {number[]} */
  const first = [];
  const of = new Int32Array(tokens);
  for (let token = 0; token < tokens; token++) {
    if (token === 0 || words[token] !== words[token - 1]) first.push(token);
    of[token] = first.length - 1;
  }
  const size = Int32Array.from(first, (start, index) => (first[index + 1] ?? tokens) - start);
  return {
    count: first.length, labels: wordLabels, groups: first.map((token) => groups[token]),
    segments: first.map((token) => segments[token]), first: Int32Array.from(first), size, of,
  };
}
