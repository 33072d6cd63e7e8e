// Scroll positions.

/** Remembers how far a box is scrolled. Returns a function that restores it after the layout has moved the box. */
export function rememberScroll(box) {
  let top = 0;
  box.addEventListener("scroll", () => { top = box.scrollTop; });
  return () => {
    if (top) box.scrollTop = top;
  };
}
