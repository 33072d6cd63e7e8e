// Keyboard handling shared by the explorer and what-if.

/** Whether Alt, Ctrl or Cmd is held: those shortcuts belong to the browser. */
export const hasModifier = (event) => event.altKey || event.ctrlKey || event.metaKey;

/** Whether an input method is composing a character, such as pinyin: the key belongs to it. */
export const isComposing = (event) => event.isComposing || event.keyCode === 229;

/** Whether the visitor points with a finger: on phones and tablets, where no key is named. */
export const isTouch = () => matchMedia("(pointer: coarse)").matches;

// Where letters, digits or Escape have a meaning of their own.
const TYPED = "textarea, select, input:not([type=checkbox], [type=radio], [type=range]), [contenteditable=true]";
const WIDGETS = "[role=combobox], [role=listbox], [role=menu], [role=grid], [role=tree], [role=dialog], [data-baseweb=popover],"
  + " [aria-expanded=true]";

/** Whether a key belongs to what has the focus: a box, a list, or, outside the root, an open window of the page. */
export function isTaken(event, root) {
  const path = event.composedPath(), selector = path.includes(root) ? TYPED : `${TYPED}, ${WIDGETS}`;
  return path.some((node) => node.matches?.(selector));
}

/**
 * Roving tabindex: a group of buttons is a single tab stop, and arrow keys move the focus within it. items(): the
 * buttons. step(key, index): the index that a key moves to; undefined for keys that do nothing.
 */
export function roveFocus(box, items, step) {
  box.addEventListener("focusin", (event) => {
    const item = event.target.closest("[tabindex]"), all = items();
    if (all.includes(item)) for (const other of all) other.tabIndex = other === item ? 0 : -1;
  });
  box.addEventListener("keydown", (event) => {
    if (hasModifier(event)) return;
    const all = items(), target = step(event.key, all.indexOf(event.target));
    if (target === undefined || !all.includes(event.target)) return;
    event.preventDefault();
    all[Math.min(Math.max(target, 0), all.length - 1)].focus();
  });
}
