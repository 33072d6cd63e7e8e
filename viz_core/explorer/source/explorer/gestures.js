// Mouse, pen and touch on an element, as hovering, tapping, dragging (to brush or to pan) and pinching.

const DRAG = 4; // px: shorter movements are a tap

/**
 * on: `hover(point)`, `leave()`, `tap(point, event)`, `brush(from, to)`, `pan(right, down)`, `zoom(factor, point)`, and
 * `scroll(right, down)`, which returns whether anything moved; `cancel()`. moving(): whether a drag pans instead of
 * brushing, as the finger does that a pinch leaves. Points are `{ left, top }` in px of the element.
 */
export function listenToPointers(element, on, moving) {
  const pointers = new Map();
  let start = { left: 0, top: 0 }, dragged = false, pinched = false, spread = 0;

  const point = (event) => {
    const box = element.getBoundingClientRect();
    return { left: event.clientX - box.left, top: event.clientY - box.top };
  };
  const middle = () => {
    const [a, b] = pointers.values();
    return { left: (a.left + b.left) / 2, top: (a.top + b.top) / 2 };
  };
  const distance = () => {
    const [a, b] = pointers.values();
    return Math.hypot(a.left - b.left, a.top - b.top);
  };

  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    pointers.set(event.pointerId, point(event));
    element.setPointerCapture(event.pointerId);
    if (pointers.size === 1) [start, dragged, pinched] = [point(event), false, false];
    if (pointers.size === 2) [start, spread] = [middle(), distance()];
  });
  element.addEventListener("pointermove", (event) => {
    const here = point(event), before = pointers.get(event.pointerId);
    if (!before) return on.hover(here);
    pointers.set(event.pointerId, here);
    if (pointers.size === 2) {
      const center = middle(), current = distance();
      on.pan(center.left - start.left, center.top - start.top);
      on.zoom(current / spread, center);
      [start, spread, dragged, pinched] = [center, current, true, true];
      return;
    }
    if (!dragged && Math.hypot(here.left - start.left, here.top - start.top) < DRAG) return;
    dragged = true;
    if (moving() || pinched || event.shiftKey) on.pan(here.left - before.left, here.top - before.top);
    else on.brush(start, here);
  });
  const end = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    if (dragged && event.type === "pointercancel") on.cancel(); // it was scrolling the page
    else if (!dragged && event.type === "pointerup") on.tap(point(event), event);
  };
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", end);
  element.addEventListener("pointerleave", () => { if (!pointers.size) on.leave(); });
  element.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      on.zoom(Math.exp(-event.deltaY * 0.01), point(event));
    } else if (on.scroll(event.deltaX, event.deltaY)) event.preventDefault();
  }, { passive: false });
}
