// What keys do in both instruments.

/** Whether a key is pressed together with Alt, Ctrl or Cmd: such keys are the browser's. */
export const hasModifier = (event) => event.altKey || event.ctrlKey || event.metaKey;

/**
 * Many buttons as one stop of the tab key: arrows go from one to the next. items(): the buttons. step(key, index): the index
 * that a key leads to, undefined for keys without a meaning.
 */
export function roveFocus(box, items, step) {
  box.addEventListener("focusin", (event) => {
    const item = event.target.closest("[tabindex]"), all = items();
    if (all.includes(item)) for (const other of all) other.tabIndex = other === item ? 0 : -1;
  });
  box.addEventListener("keydown", (event) => {
    if (hasModifier(event)) return;
    const all = items(), to = step(event.key, all.indexOf(event.target));
    if (to === undefined || !all.includes(event.target)) return;
    event.preventDefault();
    all[Math.min(Math.max(to, 0), all.length - 1)].focus();
  });
}
