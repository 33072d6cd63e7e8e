// Names of tokens and heads in sentences and lists.

const LONGEST = 24; // characters of a name in a sentence

/** A unit's token, shortened if it is long, with its position, since a word may occur more than once in a text. */
export function tokenName(units, unit) {
  const characters = [...units.labels[unit]];
  const label = characters.length > LONGEST ? `${characters.slice(0, LONGEST).join("")}…` : units.labels[unit];
  return `${label} (${unit + 1})`;
}

/** A name in a sentence, where a token could be read as a word of it. */
export const quoted = (name) => `“${name}”`;

/** A head as `1.2`: layer and head, counted from 1. */
export const headName = (layer, head) => `${layer + 1}.${head + 1}`;
