// Names of tokens and heads in sentences and lists.

const LONGEST = 24; // characters of a name in a sentence

/** A name, cut if it is long. */
export function cutName(name) {
  const characters = [...name];
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST).join("")}…` : name;
}

/** A unit's token, shortened if it is long, with its position, since a word may occur more than once in a text. */
export const tokenName = (units, unit) => `${cutName(units.labels[unit])} (${unit + 1})`;

/** A name in a sentence, where a token could be read as a word of it. */
export const quoted = (name) => `“${name}”`;

/** A head as `1.2`: layer and head, counted from 1. */
export const headName = (layer, head) => `${layer + 1}.${head + 1}`;

/** @typedef {{ names?: Record<string, string>, kind?: string }} Named what people call heads, by attention and head: `self 2.4` */

/** What a person called a head, or an empty text. */
export const givenName = (/** @type {Named} */ { names, kind = "self" }, layer, head) => names?.[`${kind} ${headName(layer, head)}`] ?? "";

/** A text about a head, with its given name, if any. */
export function withName(text, input, layer, head) {
  const given = givenName(input, layer, head);
  return given ? `${text} · ${given}` : text;
}

/** Sentences about a head, after its given name, if any. */
export function afterName(text, input, layer, head) {
  const given = givenName(input, layer, head);
  return given ? `${given} · ${text}` : text;
}

/** A head as `1.2`, with its given name, if any. */
export const headLabel = (input, layer, head) => withName(headName(layer, head), input, layer, head);
