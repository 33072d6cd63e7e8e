// The frame of every view and part: its title, its buttons, and a line that explains what it shows.

import { el } from "./dom.js";

/**
 * `{ element, note }`: the section with `note`, the line below its title, and its body.
 *
 * @param {{ name: string, title: string, actions?: Element[] }} names
 * @param {...Element} body
 */
export function section({ name, title, actions = [] }, ...body) {
  const note = el("p", { class: "note" });
  const element = el("section", { class: `view ${name}`, "aria-label": title },
    el("header", {}, el("h3", {}, title), ...actions), note, ...body);
  return { element, note };
}
