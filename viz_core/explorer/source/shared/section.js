// The frame that everything on the page stands in: its title, its buttons, and a line that says what it shows.

import { el } from "./dom.js";

/** `{ element, note }`: the section with `note`, the line below its title, and its body. mark: what stands before the title. */
export function section({ name, title, mark = null, actions = [] }, ...body) {
  const note = el("p", { class: "note" });
  const element = el("section", { class: `view ${name}`, "aria-label": title },
    el("header", {}, el("h4", {}, mark, title), ...actions), note, ...body);
  return { element, note };
}
