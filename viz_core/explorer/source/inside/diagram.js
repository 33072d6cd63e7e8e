// The whole model as it is configured: the residual stream as a line from left to right, and the boxes that read it and
// add to it. Of a translation a line for the encoder, and one for the decoder. The layer that is followed is open.

import { el } from "../shared/dom.js";
import { remember } from "../shared/remember.js";
import { rowsOf } from "./diagram_rows.js";
import { START } from "./state.js";
import { boxOf } from "./steps.js";

/** `{ element, draw(record, state) }`. set(patch): another attention, step, layer or head; zoom(box): from this box. */
export function createDiagram(say, set, zoom) {
  const model = el("div", { class: "model" });
  const element = el("nav", { class: "diagram", "aria-label": say("diagram") }, model);
  const create = remember((architecture) => model.replaceChildren(...rowsOf(architecture, say, open)));
  const show = remember((_box) => requestAnimationFrame(() => centre(model.querySelector("[aria-current]"))));

  function open(patch, box) {
    zoom(box);
    set(patch);
  }

  return {
    element,
    draw(record, state) {
      create(architectureOf(record));
      element.classList.toggle("whole", state.step === START);
      const current = boxOf(state.step);
      for (const box of model.querySelectorAll("[data-box]")) {
        if (box.dataset.box === current && !box.dataset.other) box.setAttribute("aria-current", "step");
        else box.removeAttribute("aria-current");
      }
      show(current);
    },
  };
}

/** What the diagram shows of a record: what does not depend on the query, nor on the computation. */
const architectureOf = ({ kind, kinds, names, layer, head, norm, parallel, centred, learned, activation, pooling, parts, sizes, blocks, sides, prediction, has }) => ({
  kind, kinds, names, layer, head, norm, parallel, centred, learned, activation, pooling, parts, sizes, blocks, isGated: has("layer.gate"),
  norms: ["attention", "attention_output", "feedforward", "feedforward_output"].filter((name) => has(`norms.${name}`)), firstToken: sides.query.labels.at(pooling === "last" ? -1 : 0),
  classes: prediction.allClasses, temperature: prediction.temperature, hidden: has("prediction.hidden") ? prediction.activation : null });

/** Scrolls to the box of the step where its row is wider than the page. */
function centre(box) {
  const row = box?.closest(".row");
  if (!row || row.scrollWidth <= row.clientWidth) return;
  const [own, all] = [box.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += own.left + own.width / 2 - all.left - all.width / 2;
}
