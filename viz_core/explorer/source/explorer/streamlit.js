// The entry for Streamlit (components.v2): called when the component is mounted and whenever its data changes.

import { mount } from "../shared/component.js";
import { openExplorer } from "./explorer.js";
import { toLink, withoutTokens } from "./selection.js";
import { unpack } from "./unpack.js";

const reportedBackgrounds = new WeakMap(); // parent element -> the background reported to the server

export default function ({ data, parentElement, setTriggerValue }) {
  const input = unpack(data);
  reportTheme(input, parentElement, setTriggerValue);
  return mount(parentElement, input, (previous) => {
    let reported = input.selection;
    const report = (state) => {
      const link = toLink(state, input);
      if (Object.keys(link).every((name) => link[name] === reported[name])) return;
      setTriggerValue("selection", (reported = link));
    };
    return openExplorer(parentElement.querySelector(".explorer"), input, initialSelection(previous, input), report);
  });
}

/** Streamlit does not rerun the page when the visitor switches themes, so the bytes would keep the old colours. */
function reportTheme(input, parentElement, setTriggerValue) {
  const page = getComputedStyle(parentElement.host ?? parentElement).getPropertyValue("--st-background-color").trim();
  if (!page || page === input.theme.background || page === reportedBackgrounds.get(parentElement)) return;
  reportedBackgrounds.set(parentElement, page); // once: the page may have a background of its own
  setTriggerValue("theme", page);
}

/**
 * The same input in another language or theme keeps the whole selection; another text keeps what does not concern
 * tokens.
 */
function initialSelection(previous, input) {
  if (!previous) return {};
  const selection = previous.content.selection();
  return previous.id === input.id ? selection : settingsThatFit(selection, input);
}

/** Settings carried over to another input; the heads only if its model has them. */
function settingsThatFit(state, input) {
  const { heads, unit, ...others } = withoutTokens(state);
  const exist = heads.every(([layer, head]) => layer < input.layers && head < input.heads);
  return { ...others, ...(exist ? { heads } : {}), ...(input.pair ? { unit } : {}) };
}
