// The entry for Streamlit (components.v2): called when the component is mounted and again whenever its data changes.

import { openExplorer } from "./explorer.js";
import { lasting, toLink } from "./selection.js";
import { unpack } from "./unpack.js";

const opened = new WeakMap(); // parent element -> the explorer in it

export default function ({ data, parentElement, setStateValue }) {
  const input = unpack(data), before = opened.get(parentElement);
  const look = JSON.stringify([input.language, input.theme]);
  if (before?.id === input.id && before.look === look) return; // the page ran again, and nothing changed here
  before?.explorer.close();
  // The same input in another language or theme keeps everything; another text keeps what is not about its tokens.
  const kept = !before ? {} : before.id === input.id ? before.explorer.selection() : fitting(before.explorer.selection(), input);
  let reported = input.selection;
  const report = (state) => {
    const link = toLink(state, input);
    if (Object.keys(link).every((name) => link[name] === reported[name])) return;
    setStateValue("selection", (reported = link));
  };
  const explorer = openExplorer(parentElement.querySelector(".explorer"), input, kept, report);
  opened.set(parentElement, { id: input.id, look, explorer });
  return () => {
    if (opened.get(parentElement)?.explorer !== explorer) return;
    explorer.close();
    opened.delete(parentElement);
  };
}

/** What outlives a change of the input, unless it is of a model with fewer layers or heads. */
function fitting(state, input) {
  const { heads, unit, ...others } = lasting(state);
  const known = heads.every(([layer, head]) => layer < input.layers && head < input.heads);
  return { ...others, ...(known ? { heads } : {}), ...(input.pair ? { unit } : {}) };
}
