// What a view remembers from one drawing to the next, so that it does again only what is new.

/** `renewed(name, …values)`: whether any value differs from the last time; a view may have been hidden in between. */
export function memory() {
  const last = new Map();
  return (name, ...values) => {
    const before = last.get(name);
    last.set(name, values);
    return !before || values.some((value, index) => value !== before[index]);
  };
}
