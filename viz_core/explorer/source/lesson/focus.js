// The focus of the keyboard on the way through a lesson: where a card opens another page, its buttons are new ones, and the
// focus would be lost with the old ones.

const BUTTONS = ["lesson_next", "lesson_back"], EVENTS = ["focusin", "pointerdown"];

/** `{ restore(), leave() }`; restore(): gives the button that was pressed last the focus again, if nothing else has it. */
export function keepFocus() {
  let pressed = "";

  const note = ({ target }) => { pressed = BUTTONS.find((name) => target.closest?.(`.st-key-${name} button`)) ?? ""; };

  function restore() {
    if (!pressed || document.activeElement !== document.body) return;
    const button = [pressed, ...BUTTONS].map((name) => document.querySelector(`.st-key-${name} button:not(:disabled)`))
      .find((found) => found);
    if (button instanceof HTMLElement) button.focus({ preventScroll: true });
  }

  for (const kind of EVENTS) addEventListener(kind, note, true);
  return { restore, leave: () => { for (const kind of EVENTS) removeEventListener(kind, note, true); } };
}
