// The frame that every view stands in, which has a number (the key that hides it), and rows of buttons.

import { el } from "../shared/dom.js";
import { section } from "../shared/section.js";
import { VIEW_NAMES } from "./selection.js";

/** `{ element, note }`: the section around `body`, and the line below its name that the view keeps true. */
export function panel({ say }, name, body, ...actions) {
  const mark = el("kbd", { "aria-hidden": "true" }, String(VIEW_NAMES.indexOf(name) + 1));
  return section({ name, title: say(name), mark, actions }, body);
}

/** A row of buttons of which one is chosen. `names`: `{ value: label }`. `show(value)` marks the chosen one. */
export function chooser(label, names, onchoose) {
  const buttons = Object.entries(names).map(([value, text]) => [value, el("button", {
    type: "button", onclick: () => onchoose(value) }, text)]);
  return {
    element: el("div", { class: "chooser", role: "group", "aria-label": label },
      el("span", { class: "label", "aria-hidden": "true" }, label), ...buttons.map(([, button]) => button)),
    show: (chosen) => buttons.forEach(([value, button]) => button.setAttribute("aria-pressed", String(value === chosen))),
  };
}
