// The inputs of this visit, in the memory of this tab only: nobody else sees them, and they are gone with the tab.

export const MOST = 20;

/** `add(input)`, `entries()`, the most recent first, and `before(input)`, the most recent other input or null. */
export function createHistory(most = MOST) {
  const listeners = new Set();
  let inputs = [];
  return {
    /** Puts an input first, in place of the same text and model; the oldest beyond `most` are dropped. */
    add(input) {
      inputs = [input, ...inputs.filter(({ id }) => id !== input.id)].slice(0, most);
      listeners.forEach((listener) => listener());
    },
    entries: () => [...inputs],
    before: ({ id }) => inputs.find((input) => input.id !== id) ?? null,
    /** Calls the listener after changes; returns a function that stops that. */
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
