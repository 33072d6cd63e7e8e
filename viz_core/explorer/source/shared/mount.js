// How a component enters a page of Streamlit (components.v2).

const mounted = new WeakMap(); // parent element -> { key, turns, content, report }

/**
 * Called with what Streamlit calls the component with, when it is mounted and after every run of the page. appearance:
 * with another one the content is opened anew. open(report, earlier) opens it, `{ close(), retry?() }`: report(...event)
 * tells the page; earlier is what close() of the content before it returned, or null once the browser has gone back or
 * forward (`turns` of the appearance), when the page knows better. isGone(content): whether it is opened anew all the same;
 * follow(content): else called after a run.
 *
 * Returns what Streamlit calls when the component leaves the page; of several, it calls the last.
 */
export function mount({ parentElement, setTriggerValue }, appearance, open, isGone = (_content) => false,
  follow = (content) => content.retry?.()) {
  const current = mounted.get(parentElement) ?? {}, key = JSON.stringify(appearance), { turns } = appearance;
  current.report = setTriggerValue;
  if (key !== current.key || isGone(current.content)) {
    const closed = current.content?.close(), report = (...event) => current.report(...event);
    Object.assign(current, { key, turns, content: open(report, turns === current.turns ? closed : null) });
    mounted.set(parentElement, current);
  } else follow(current.content);
  return () => {
    mounted.get(parentElement)?.content.close();
    mounted.delete(parentElement);
  };
}
