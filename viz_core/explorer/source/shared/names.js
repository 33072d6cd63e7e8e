// Names of tokens and heads in sentences and lists.

const LONGEST = 24; // characters of a name in a sentence

/** The token of a unit, cut where it is long, with its place, since a word may stand in a text more than once. */
export function tokenName(units, unit) {
  const characters = [...units.labels[unit]];
  const label = characters.length > LONGEST ? `${characters.slice(0, LONGEST).join("")}…` : units.labels[unit];
  return `${label} (${unit + 1})`;
}

/** A head as `1.2`: layer and head as a person counts them. */
export const headName = (layer, head) => `${layer + 1}.${head + 1}`;
