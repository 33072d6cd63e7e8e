// Scroll positions.

import { remember } from "../shared/remember.js";

/** Remembers how far a box is scrolled. Returns a function of its place, which restores it after the layout has moved the box. */
export function rememberScroll(box) {
  let top = 0;
  box.addEventListener("scroll", () => { top = box.scrollTop; });
  return remember((_place) => {
    if (top) box.scrollTop = top;
  });
}
