// What is in view stays in view while rows or columns are added and removed around it.

import { alignUnits } from "./comparison/alignment.js";

/**
 * How far a list of units has moved in what is shown now: the new index minus the old one of the first unit from index
 * `first` to `last` that is still there; null if none is. before, after: the units of this side (units.js); list: of those
 * before; indexOf: `rowOf` or `columnOf` of what is shown now.
 */
export function shiftOf(list, first, last, indexOf, before, after) {
  const { currentOf } = before === after ? {} : alignUnits(before, after);
  for (let index = Math.max(first, 0); index <= Math.min(last, list.length - 1); index++) {
    const unit = currentOf ? currentOf[list[index]] : list[index];
    if (unit >= 0 && indexOf[unit] >= 0) return indexOf[unit] - index;
  }
  return null;
}
