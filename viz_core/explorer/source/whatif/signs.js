// The legend of state signs.

import { el } from "../shared/dom.js";

/** entries: `[state, sentence]`; the style sheet draws the sign of each state. */
export function signs(entries) {
  return el("p", { class: "signs" }, ...entries.map(([state, sentence]) => (
    el("span", {}, el("i", { class: state, "aria-hidden": "true" }), sentence))));
}
