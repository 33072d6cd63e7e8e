// A component on a Streamlit page (components.v2), called when it is mounted and again after every run of the page.

const mounted = new WeakMap(); // parent element -> { id, appearance, content } open in it

/**
 * Opens content in the parent element, unless the same input is open there in the same language and theme.
 *
 * open(previous): creates the content, an object with `close()`; previous: what was open before, already closed, as
 * `{ id, content }`, or undefined.
 *
 * Returns the function that Streamlit calls when the component leaves the page.
 */
export function mount(parentElement, { id, language, theme }, open) {
  const appearance = JSON.stringify([language, theme]), previous = mounted.get(parentElement);
  if (previous?.id === id && previous.appearance === appearance) return undefined; // the page reran with the same data
  previous?.content.close();
  const current = { id, appearance, content: open(previous) };
  mounted.set(parentElement, current);
  return () => {
    if (mounted.get(parentElement) !== current) return; // something else has taken its place
    current.content.close();
    mounted.delete(parentElement);
  };
}
