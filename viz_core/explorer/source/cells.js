// Names of tokens and words in sentences and lists, and their places in the map.

const LONGEST = 24; // characters of a name in a sentence

/** The token of a unit, cut where it is long, with its place, since a word may stand in a text more than once. */
export function name(units, unit) {
  const characters = [...units.labels[unit]];
  const label = characters.length > LONGEST ? `${characters.slice(0, LONGEST).join("")}…` : units.labels[unit];
  return `${label} (${unit + 1})`;
}

/** The name of the sentence that a unit belongs to; none for special tokens. */
export const sideOf = (group) => ["", "A", "B"][group + 1];

/** First and last row (or column) of a range of tokens; null where all of it is left out. */
export function span([first, last], units, places) {
  const found = [];
  for (let unit = units.of[first]; unit <= units.of[last]; unit++) if (places[unit] >= 0) found.push(places[unit]);
  return found.length ? [found[0], found.at(-1)] : null;
}

/** The cell of the map that pointing at a unit means while another one is selected; null where there is none. */
export function pointed({ map, query }, direction, unit) {
  if (!map || query === null || unit === null) return null;
  const [row, column] = direction === "from" ? [query, unit] : [unit, query];
  return map.rowOf[row] >= 0 && map.columnOf[column] >= 0 ? { query: row, key: column } : null;
}
