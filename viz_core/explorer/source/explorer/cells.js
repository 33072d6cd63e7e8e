// Units in the map: the text they belong to, and their row or column.

/** The name of the text that a unit of this group belongs to; empty for special tokens. */
export const sideOf = (group) => ["", "A", "B"][group + 1];

/**
 * First and last row (or column) of a range of tokens; null if all of them are left out. indexOf: `rowOf` or
 * `columnOf`.
 */
export function indexRange([first, last], units, indexOf) {
  const indices = [];
  for (let unit = units.of[first]; unit <= units.of[last]; unit++) if (indexOf[unit] >= 0) indices.push(indexOf[unit]);
  return indices.length ? [indices[0], indices.at(-1)] : null;
}

/** The cell of the map that hovering over a unit refers to while a query is selected; null if there is none. */
export function hoveredCell({ map, query }, direction, unit) {
  if (!map || query === null || unit === null) return null;
  const [row, column] = direction === "from" ? [query, unit] : [unit, query];
  return map.rowOf[row] >= 0 && map.columnOf[column] >= 0 ? { query: row, key: column } : null;
}
