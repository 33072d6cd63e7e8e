// Formulas in a line of text: `_` before a subscript, `^` before a superscript, each of one character or of `(…)`.

import { el } from "../shared/dom.js";

/** The nodes of a formula such as `W_q^(1)`. */
export function typeset(text) {
  return text.split(/([_^](?:\([^)]*\)|[−-]?[\d.]+|.))/).map((part) => {
    const tag = { _: "sub", "^": "sup" }[part[0]];
    return tag && part.length > 1 ? el(tag, {}, part.slice(1)) : part;
  });
}

/** The same as plain text, for names that are spoken. */
export const plain = (text) => text.replace(/[_^]/g, "");

/** The nodes of a template such as `row {row} of {matrix}`; values: texts and nodes, of which copies are inserted. */
export function fill(template, values) {
  return template.split(/\{(\w+)\}/).map((part, index) => (index % 2 ? values[part].cloneNode?.(true) ?? values[part] : part));
}
