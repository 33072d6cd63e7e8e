// The whole model as it is configured: the residual stream as a line from left to right, and the boxes that read it and
// add to it. Of a translation a line for the encoder, and one for the decoder. The layer that is followed is open.

import { el } from "../shared/dom.js";
import { rowsOf } from "./diagram_rows.js";
import { START } from "./state.js";
import { boxOf } from "./steps.js";

/** `{ element, draw(record, state) }`. set(patch): another attention, step, layer or head; zoom(box): from this box. */
export function createDiagram(say, set, zoom) {
  const model = el("div", { class: "model" });
  const element = el("nav", { class: "diagram", "aria-label": say("diagram") }, model);
  let drawn = null, last = null;

  function open(patch, box) {
    zoom(box);
    set(patch);
  }

  return {
    element,
    draw(record, state) {
      const signature = JSON.stringify([record.blocks, record.kind, record.sizes, record.layer, record.head]);
      if (signature !== drawn) model.replaceChildren(...rowsOf(record, say, open));
      drawn = signature;
      element.classList.toggle("whole", state.step === START);
      const current = boxOf(state.step);
      for (const box of model.querySelectorAll("[data-box]")) {
        if (box.dataset.box === current && !box.dataset.other) box.setAttribute("aria-current", "step");
        else box.removeAttribute("aria-current");
      }
      if (current !== last) requestAnimationFrame(() => centre(model.querySelector("[aria-current]")));
      last = current;
    },
  };
}

/** Scrolls to the box of the step where its row is wider than the page. */
function centre(box) {
  const row = box?.closest(".row");
  if (!row || row.scrollWidth <= row.clientWidth) return;
  const [own, all] = [box.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += own.left + own.width / 2 - all.left - all.width / 2;
}
