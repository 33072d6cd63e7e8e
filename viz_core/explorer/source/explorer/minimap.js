// A small picture of the whole heat map, in its corner while only a part is visible: says where one is, and goes elsewhere.
// For the keyboard there are the arrow keys.

/** @import { Frame, Viewport } from "../shared/records.js" */

import { el } from "../shared/dom.js";
import { prepareCanvas } from "./canvas.js";
import { centreOn } from "./viewport.js";

const LONGEST = 8; // em: its longer side
const SHARE = 1 / 3; // of the visible map that it may cover, across and down
const GAP = 6; // px to the edges of the map

/**
 * `{ element, draw(image, plot) }`. image: of one pixel per cell; plot: `{ frame, viewport, left, top }`, as in
 * heatmap.js. show(viewport): shows another part of the map.
 */
export function createMinimap({ store, theme }, show) {
  const canvas = el("canvas"), box = el("i");
  const element = el("div", { class: "minimap", "aria-hidden": "true", hidden: true }, canvas, box);
  /** @type {{ frame: Frame, viewport: Viewport }} */
  let shown;
  let isDragged = false, isLeft = false;

  function goTo(event) {
    const { frame, viewport } = shown, area = canvas.getBoundingClientRect();
    show(centreOn(viewport, frame, ((event.clientX - area.left) / area.width) * frame.columns,
      ((event.clientY - area.top) / area.height) * frame.rows));
  }

  const does = {
    pointerenter: () => store.set({ hover: null }),
    pointerdown(event) {
      if (event.button !== 0) return;
      isDragged = true;
      element.setPointerCapture(event.pointerId);
      goTo(event);
    },
    pointermove: (event) => { if (isDragged) goTo(event); },
    pointerup: () => { isDragged = false; },
    pointercancel: () => { isDragged = false; },
  };
  for (const [name, act] of Object.entries(does)) element.addEventListener(name, (event) => {
    event.stopPropagation(); // the map below selects and pans
    act(event);
  });

  return {
    element,
    draw(image, { frame, viewport, left, top }) {
      shown = { frame, viewport };
      element.hidden = viewport.cell <= frame.least;
      if (element.hidden) return;
      const { columns, rows, width, height } = frame, { x, y, cell } = viewport;
      const longest = Math.min(LONGEST * theme.small, SHARE * width, SHARE * height);
      const scale = longest / Math.max(columns, rows), [wide, high] = [columns * scale, rows * scale];
      const pen = prepareCanvas(canvas, wide, high);
      pen.imageSmoothingEnabled = image.width > canvas.width; // smaller: averaged; larger: sharp cells
      pen.drawImage(image, 0, 0, wide, high);
      Object.assign(box.style, { left: `${x * scale}px`, top: `${y * scale}px`, width: `${(width / cell) * scale}px`,
        height: `${(height / cell) * scale}px` });
      // On the other side of where one is, so that every cell can be seen; it does not jump from under the pointer.
      if (!isDragged) isLeft = x + width / cell / 2 > columns / 2;
      const across = left + (isLeft ? GAP : width - wide - GAP), down = top + height - high - GAP;
      element.style.transform = `translate(${across}px, ${down}px)`;
    },
  };
}
