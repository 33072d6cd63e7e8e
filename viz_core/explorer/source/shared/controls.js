// Buttons and dropdowns.

import { el } from "./dom.js";

/** A small button; `title` is its tooltip and accessible name, after the label if that is a word (WCAG 2.5.3). */
export function button(label, title, onclick, attributes = {}) {
  const name = /[\p{L}\p{N}]/u.test(label) && label !== title ? `${label}: ${title}` : title;
  return el("button", { type: "button", title, "aria-label": name, onclick, ...attributes }, label);
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
