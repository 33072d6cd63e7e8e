// Buttons and dropdowns.

import { el } from "./dom.js";

/** A small button; `title` is its tooltip and accessible name. */
export function button(label, title, onclick, attributes = {}) {
  return el("button", { type: "button", title, "aria-label": title, onclick, ...attributes }, label);
}

/** A labelled `<select>`. names: `{ value: label }`. Returns `{ element, show(value) }`. */
export function dropdown(label, names, onchange) {
  const select = el("select", { onchange: () => onchange(select.value) },
    ...Object.entries(names).map(([value, text]) => el("option", { value }, text)));
  return {
    element: el("label", { class: "dropdown" }, el("span", { class: "label" }, label), select),
    show: (value) => { select.value = value; },
  };
}
