// What was computed or drawn last, kept for as long as it would be the same.

/**
 * The function, which runs only if an argument differs from those of the last run, and otherwise returns what that
 * returned: what a drawing depends on is what it is given. Arrays and plain objects are compared by their content, so that
 * many arguments may be one object. known: arguments that count as those of a last run.
 *
 * @template {(...values: any[]) => any} Run
 * @param {Run} run
 * @param {Parameters<Run> | []} known
 * @returns {Run}
 */
export function remember(run, ...known) {
  /** @type {any[] | null} */
  let last = known.length ? known : null, result;
  return /** @type {Run} */ ((...values) => {
    if (!last || !same(values, last)) [result, last] = [run(...values), values];
    return result;
  });
}

/** Whether two values are equal: arrays and plain objects by their content, everything else if it is the same. */
export function same(a, b) {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((value, index) => same(value, b[index]));
  if (!isPlain(a) || !isPlain(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => name in b && same(a[name], b[name]));
}

const isPlain = (value) => Boolean(value) && Object.getPrototypeOf(value) === Object.prototype;
