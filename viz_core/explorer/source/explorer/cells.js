// Tokens and words in the map: the sentence that each is of, and its row or column.

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
