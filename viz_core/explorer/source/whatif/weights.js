// One row of attention `(T,)`: weights are non-negative and sum to 1. free: whether each key may be attended to.

/** Sets the weight of a key and rescales the others to sum to 1; uniformly if they had no weight. */
export function setWeight(row, key, weight, free) {
  const others = total(row, free) - row[key], count = free.filter(Boolean).length - 1;
  const target = count ? Math.min(Math.max(weight, 0), 1) : 1;
  const rest = (old) => (others > 1e-9 ? (old * (1 - target)) / others : (1 - target) / count);
  return row.map((old, index) => (!free[index] ? 0 : index === key ? target : rest(old)));
}

/** The row without keys that are not free, renormalised to sum to 1; uniform if no weight is left. */
export function renormalise(row, free) {
  const left = total(row, free), count = free.filter(Boolean).length || 1;
  return row.map((old, index) => (!free[index] ? 0 : left > 1e-9 ? old / left : 1 / count));
}

const total = (row, free) => row.reduce((sum, weight, index) => sum + (free[index] ? weight : 0), 0);
