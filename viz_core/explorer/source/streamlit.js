// The entry for Streamlit (components.v2): called when the component is mounted and again whenever its data changes.

import { openExplorer } from "./explorer.js";
import { lasting, toLink } from "./selection.js";
import { unpack } from "./unpack.js";

const opened = new WeakMap(); // parent element -> the explorer in it
const asked = new WeakMap(); // parent element -> the background that the server was told of

export default function ({ data, parentElement, setTriggerValue }) {
  const input = unpack(data), before = opened.get(parentElement);
  askForTheme(input, parentElement, setTriggerValue);
  const look = JSON.stringify([input.language, input.theme]);
  if (before?.id === input.id && before.look === look) return; // the page ran again, and nothing changed here
  before?.explorer.close();
  // The same input in another language or theme keeps everything; another text keeps what is not about its tokens.
  const kept = !before ? {} : before.id === input.id ? before.explorer.selection() : fitting(before.explorer.selection(), input);
  let reported = input.selection;
  const report = (state) => {
    const link = toLink(state, input);
    if (Object.keys(link).every((name) => link[name] === reported[name])) return;
    setTriggerValue("selection", (reported = link));
  };
  const explorer = openExplorer(parentElement.querySelector(".explorer"), input, kept, report);
  opened.set(parentElement, { id: input.id, look, explorer });
  return () => {
    if (opened.get(parentElement)?.explorer !== explorer) return;
    explorer.close();
    opened.delete(parentElement);
  };
}

/** Streamlit does not run the page again when its visitor turns it dark; the bytes, though, hold the old colours. */
function askForTheme(input, parentElement, setTriggerValue) {
  const page = getComputedStyle(parentElement.host ?? parentElement).getPropertyValue("--st-background-color").trim();
  if (!page || page === input.theme.background || page === asked.get(parentElement)) return;
  asked.set(parentElement, page); // once: the page may have colours of its own
  setTriggerValue("theme", page);
}

/** What outlives a change of the input, unless it is of a model with fewer layers or heads. */
function fitting(state, input) {
  const { heads, unit, ...others } = lasting(state);
  const known = heads.every(([layer, head]) => layer < input.layers && head < input.heads);
  return { ...others, ...(known ? { heads } : {}), ...(input.pair ? { unit } : {}) };
}
