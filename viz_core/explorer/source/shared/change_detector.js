// Change detection: lets a view redo only the work whose inputs have changed since its last drawing.

/**
 * Returns `isNew(name, …values)`: whether any value differs from the last call with this name. Values are compared
 * rather than events, because a view may have been hidden in between.
 */
export function createChangeDetector() {
  const last = new Map();
  return (name, ...values) => {
    const previous = last.get(name);
    last.set(name, values);
    return !previous || values.some((value, index) => value !== previous[index]);
  };
}
