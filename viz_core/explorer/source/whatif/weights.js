// One row of attention: its weights are 0 or more and sum to 1, whatever is dragged. free: whether a key may be looked at.

/** The row with the weight of one key set, and the others scaled so that all sum to 1; they share alike what had none. */
export function setWeight(row, key, weight, free) {
  const others = total(row, free) - row[key], count = free.filter(Boolean).length - 1;
  const to = count ? Math.min(Math.max(weight, 0), 1) : 1;
  const rest = (old) => (others > 1e-9 ? (old * (1 - to)) / others : (1 - to) / count);
  return row.map((old, at) => (!free[at] ? 0 : at === key ? to : rest(old)));
}

/** The row without the keys that are not free, scaled back to the sum 1; alike where nothing is left. */
export function renormalise(row, free) {
  const left = total(row, free), count = free.filter(Boolean).length || 1;
  return row.map((old, at) => (!free[at] ? 0 : left > 1e-9 ? old / left : 1 / count));
}

const total = (row, free) => row.reduce((sum, weight, at) => sum + (free[at] ? weight : 0), 0);
