// Where shortcuts work: anywhere on the page, or only in the explorer, and then not for the cards of a lesson. A person who speaks to the computer, or types by
// accident, can restrict them (WCAG 2.2, 2.1.4 Character Key Shortcuts); the browser remembers it.

import { el } from "./dom.js";

const NAME = "attention-microscope.shortcuts", WITHIN = "within";

/** Whether shortcuts work wherever the focus is on the page. */
export function workAnywhere() {
  try {
    return localStorage.getItem(NAME) !== WITHIN;
  } catch {
    return true; // a notebook's frame has no storage
  }
}

/** The entry of the list of shortcuts that switches it. */
export function createScopeSwitch(say) {
  const box = el("input", { type: "checkbox", "aria-label": say("shortcuts_anywhere"), onchange: remember });
  box.checked = workAnywhere();
  function remember() {
    try {
      localStorage.setItem(NAME, box.checked ? "anywhere" : WITHIN);
    } catch {
      box.checked = true;
    }
  }
  return [el("dt", {}, box), el("dd", {}, say("shortcuts_anywhere"))];
}
