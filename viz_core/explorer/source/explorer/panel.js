// The frame of every view; and groups of buttons.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { section } from "../shared/section.js";
import { PRESENTED } from "./selection.js";

/** `{ element, note }`: the section around `body`, and the line below its title, which the view updates. */
export function panel({ say, store, isReference }, name, body, ...actions) {
  if (PRESENTED.includes(name) && !isReference) actions.push(
    button(say("present_label"), say("present"), () => store.set({ present: name }), { class: "present" }));
  const panel = section({ name, title: say(name), actions }, body);
  // Which side of a comparison it shows; hidden by the style sheet unless both are shown.
  panel.element.querySelector("h3").append(el("span", { class: `side-chip ${isReference ? "reference" : "current"}` },
    say(isReference ? "reference" : "current")));
  if (isReference) panel.element.classList.add("of-reference");
  return panel;
}

/** A group of buttons for one choice. names: `{ value: label }`; titles: their tooltips. Returns `{ element, show(value) }`. */
export function chooser(label, names, onchange, titles = {}) {
  const buttons = Object.entries(names).map(([value, text]) => [value, el("button", {
    type: "button", title: titles[value] ?? null, onclick: () => onchange(value) }, text)]);
  return {
    element: el("div", { class: "chooser", role: "group", "aria-label": label },
      el("span", { class: "label", "aria-hidden": "true" }, label), ...buttons.map(([, button]) => button)),
    show: (selected) => buttons.forEach(([value, button]) => (
      button.setAttribute("aria-pressed", String(value === selected)))),
  };
}
