// Units in the map: the text they belong to, and their row or column.

import { canAttend } from "./attention.js";

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

/** The query and the key that the weight of a unit is about, while a token is selected (derivation.js). */
export const cellOf = ({ token, over }, unit) => (
  over === "key" ? { query: token, key: unit } : { query: unit, key: token });

/** The cell of the map that hovering over a unit refers to while a token is selected; null if there is none. */
export function hoveredCell(derived, unit) {
  if (!derived.map || derived.token === null || unit === null) return null;
  const cell = cellOf(derived, unit), { rowOf, columnOf } = derived.map;
  return rowOf[cell.query] >= 0 && columnOf[cell.key] >= 0 ? cell : null;
}

/** Whether the selected token has a weight for a unit at all, or cannot attend to it or be attended to by it. */
export function isWeighed(derived, unit) {
  if (derived.token === null) return true;
  const { query, key } = cellOf(derived, unit);
  return canAttend(derived.sides, query, key);
}
