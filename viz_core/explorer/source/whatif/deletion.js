// The switch between the two ways to remove tokens: masked in place, or deleted.

import { el } from "../shared/dom.js";
import { hasRemoved, toggleDeletion } from "./changes.js";

/** `{ element, draw(changes) }`; disabled, but in its place, while no token is removed. */
export function createDeletion({ say, change, changes }) {
  const element = el("button", { type: "button", class: "switch", role: "switch", title: say("deletes_help"),
    onclick: () => { if (hasRemoved(changes())) change(toggleDeletion(changes())); } },
  el("i", { "aria-hidden": "true" }), say("deletes"));
  return {
    element,
    draw(now) {
      element.setAttribute("aria-checked", String(now.deletes));
      element.setAttribute("aria-disabled", String(!hasRemoved(now))); // not `disabled`, which would lose the focus
    },
  };
}
