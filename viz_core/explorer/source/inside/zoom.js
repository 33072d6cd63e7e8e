// Opening a box zooms into it: what it contains grows out of the box.

import { isStill } from "../explorer/motion.js";

const DURATION = 250; // ms

/** `{ from(box), into(element) }`: what is drawn next into `element` grows out of the box. */
export function createZoom() {
  /** @type {DOMRect | null} */
  let start = null;
  return {
    from(box) {
      start = box.getBoundingClientRect();
    },
    into(element) {
      const from = start;
      start = null;
      if (!from || isStill()) return;
      const end = element.getBoundingClientRect();
      if (!end.width) return;
      const moved = `translate(${from.left - end.left}px, ${from.top - end.top}px)`;
      element.animate([{ transformOrigin: "0 0", transform: `${moved} scale(${from.width / end.width}, ${from.height / end.height})`, opacity: 0.4 },
        { transformOrigin: "0 0", transform: "none", opacity: 1 }], { duration: DURATION, easing: "ease-out" });
    },
  };
}
