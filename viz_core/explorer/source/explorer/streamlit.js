// The entry for Streamlit (components.v2): called when the component is mounted and again whenever its data changes.

import { mount } from "../shared/component.js";
import { openExplorer } from "./explorer.js";
import { lasting, toLink } from "./selection.js";
import { unpack } from "./unpack.js";

const asked = new WeakMap(); // parent element -> the background that the server was told of

export default function ({ data, parentElement, setTriggerValue }) {
  const input = unpack(data);
  askForTheme(input, parentElement, setTriggerValue);
  return mount(parentElement, input, (before) => {
    let reported = input.selection;
    const report = (state) => {
      const link = toLink(state, input);
      if (Object.keys(link).every((name) => link[name] === reported[name])) return;
      setTriggerValue("selection", (reported = link));
    };
    return openExplorer(parentElement.querySelector(".explorer"), input, selectionAfter(before, input), report);
  });
}

/** Streamlit does not run the page again when its visitor turns it dark; the bytes, though, hold the old colours. */
function askForTheme(input, parentElement, setTriggerValue) {
  const page = getComputedStyle(parentElement.host ?? parentElement).getPropertyValue("--st-background-color").trim();
  if (!page || page === input.theme.background || page === asked.get(parentElement)) return;
  asked.set(parentElement, page); // once: the page may have colours of its own
  setTriggerValue("theme", page);
}

/** The same input in another language or theme keeps everything; another text keeps what is not about its tokens. */
function selectionAfter(before, input) {
  if (!before) return {};
  const selection = before.content.selection();
  return before.id === input.id ? selection : fitting(selection, input);
}

/** What outlives a change of the input, unless it is of a model with fewer layers or heads. */
function fitting(state, input) {
  const { heads, unit, ...others } = lasting(state);
  const known = heads.every(([layer, head]) => layer < input.layers && head < input.heads);
  return { ...others, ...(known ? { heads } : {}), ...(input.pair ? { unit } : {}) };
}
