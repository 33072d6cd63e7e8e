// A component on a Streamlit page (components.v2): it is called when it is mounted, and again whenever the page has run.

const mounted = new WeakMap(); // parent element -> what is open in it

/**
 * Opens something in the parent element, unless the same input is open there in the same language and theme. open(before):
 * opens it and returns it; it must have `close()`. before: what was open there, closed by now: `{ id, content }`; or undefined.
 *
 * Returns what Streamlit calls when the component leaves the page.
 */
export function mount(parentElement, { id, language, theme }, open) {
  const look = JSON.stringify([language, theme]), before = mounted.get(parentElement);
  if (before?.id === id && before.look === look) return undefined; // the page ran again, and nothing changed here
  before?.content.close();
  const now = { id, look, content: open(before) };
  mounted.set(parentElement, now);
  return () => {
    if (mounted.get(parentElement) !== now) return; // something else has taken its place
    now.content.close();
    mounted.delete(parentElement);
  };
}
