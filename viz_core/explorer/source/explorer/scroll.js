// Boxes that scroll.

/** Keeps where a box was scrolled to, for when the layout moves it: `scrollBack()`. */
export function keepScroll(box) {
  let at = 0;
  box.addEventListener("scroll", () => { at = box.scrollTop; });
  return () => {
    if (at) box.scrollTop = at;
  };
}
