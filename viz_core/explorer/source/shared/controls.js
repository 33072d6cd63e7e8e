// What is pressed and chosen from.

import { el } from "./dom.js";

/** A small button; `title` says what it does. */
export function button(label, title, onclick, attributes = {}) {
  return el("button", { type: "button", title, "aria-label": title, onclick, ...attributes }, label);
}

/** A labelled box of options. `names`: `{ value: label }`. */
export function dropdown(label, names, onchoose) {
  const select = el("select", { onchange: () => onchoose(select.value) },
    ...Object.entries(names).map(([value, text]) => el("option", { value }, text)));
  return {
    element: el("label", { class: "dropdown" }, el("span", { class: "label" }, label), select),
    show: (chosen) => { select.value = chosen; },
  };
}
