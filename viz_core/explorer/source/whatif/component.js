// A component on a Streamlit page (components.v2), called when it is mounted and again after every run of the page.

const mounted = new WeakMap(); // parent element -> { id, appearance, content } open in it

/**
 * Opens content in the parent element, unless the same input is open there in the same language and theme, and the
 * browser has not gone back or forward since (`turns`).
 *
 * open(): creates the content, an object with `close()`. Returns the function that Streamlit calls when the component
 * leaves the page; of several, it calls the last.
 */
export function mount(parentElement, { id, language, theme, turns }, open) {
  const appearance = JSON.stringify([language, theme, turns]), previous = mounted.get(parentElement);
  if (previous?.id !== id || previous.appearance !== appearance) {
    previous?.content.close();
    mounted.set(parentElement, { id, appearance, content: open() });
  }
  return () => {
    mounted.get(parentElement)?.content.close();
    mounted.delete(parentElement);
  };
}
