/** The function with its last result remembered: equal arguments give the same object, which views need not redraw. */
export function remember(compute) {
  let last = null, result;
  return (...values) => {
    if (!last || values.some((value, index) => value !== last[index])) [last, result] = [values, compute(...values)];
    return result;
  };
}
