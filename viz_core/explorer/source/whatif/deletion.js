// The switch between the two ways of removing tokens: masked in place, or deleted.

import { el } from "../shared/dom.js";
import { hasRemoved, toggleDeletion } from "./changes.js";

/** `{ element, draw(changes) }`; visible but disabled while no token is removed. */
export function createDeletion({ say, change, changes }) {
  const element = el("button", { type: "button", class: "switch", role: "switch", title: say("deletes_help"),
    onclick: () => { if (hasRemoved(changes())) change(toggleDeletion(changes())); } },
  el("i", { "aria-hidden": "true" }), say("deletes"));
  return {
    element,
    draw(current) {
      element.setAttribute("aria-checked", String(current.deletes));
      element.setAttribute("aria-disabled", String(!hasRemoved(current))); // not `disabled`, which would lose the focus
    },
  };
}
