// The whole model as it is configured: the residual stream as a line from left to right, and the boxes that read it and
// add to it. The layer that is followed is open.

import { el } from "../shared/dom.js";
import { openLayer } from "./diagram_layer.js";
import { count } from "./numbers.js";
import { START } from "./state.js";
import { boxOf, stepOfBox } from "./steps.js";

const SHORT = 4; // layers that fit into a row

/** `{ element, draw(record, state) }`. set(patch): another step, layer or head. */
export function createDiagram(say, set) {
  const line = el("div", { class: "model" });
  const element = el("nav", { class: "diagram", "aria-label": say("diagram") }, line);
  let drawn = null, last = null;

  return {
    element,
    draw(record, state) {
      const signature = JSON.stringify([record.blocks, record.kind, record.sizes, record.layer, record.head]);
      if (signature !== drawn) line.replaceChildren(...boxesOf(record, say, set));
      line.classList.toggle("short", record.sizes.L <= SHORT);
      drawn = signature;
      element.classList.toggle("whole", state.step === START);
      const current = boxOf(state.step);
      for (const box of line.querySelectorAll("[data-box]")) {
        if (box.dataset.box === current) box.setAttribute("aria-current", "step");
        else box.removeAttribute("aria-current");
      }
      if (current !== last) requestAnimationFrame(() => centre(line));
      last = current;
    },
  };
}

/** Scrolls to the box of the step where the diagram is wider than the page. */
function centre(line) {
  const box = line.querySelector("[aria-current]");
  if (!box || line.scrollWidth <= line.clientWidth) return;
  const [own, all] = [box.getBoundingClientRect(), line.getBoundingClientRect()];
  line.scrollLeft += own.left + own.width / 2 - all.left - all.width / 2;
}

/** The boxes in the order of the computation, each with the arrow that leads to it and its shape. */
function boxesOf(record, say, set) {
  const { sizes: { Q, D, C }, kind, kinds, blocks, pooling, prediction } = record, isTranslation = kinds.length > 1;
  const stack = kind === "self" ? "encoder" : "decoder", own = blocks.filter((block) => block.stack === stack);
  const parametersOf = (name) => (own.find((block) => block.name === name) ?? blocks.find((block) => block.name === name))?.parameters ?? 0;
  const create = (name, size, parameters, title) => box(name, size, parameters, say, () => set({ step: stepOfBox(name) }), title);
  const isLast = stack === "decoder" || !isTranslation, stream = `${Q}×${D}`;
  const chain = [
    ["", create("embedding", record.parts.map((part) => say(`part_${part}`)).join(" + "), parametersOf("embedding"))],
    ...(record.has("query.stem") ? [[stream, create("stem", say("size_stem"), parametersOf("stem"))]] : []),
    ...layersOf(record, own, create, say, set).map((layer) => [stream, layer]),
    // What the encoder of a translation has computed is read by the decoder.
    ...(isLast ? [] : [[stream, el("button", { type: "button", class: "box", onclick: () => set({ kind: "cross" }) }, el("b", {}, say("box_decoder")))]]),
    [stream, create("pooling", say(`size_pooling_${pooling ?? "translation"}`), parametersOf("norm"),
      say(pooling ? "box_pooling" : "box_attention_norm"))],
    [String(D), create("classifier", `${D} → ${count(prediction.allClasses)}`, parametersOf("classifier"))],
    ...(pooling ? [[String(C), create("temperature", `÷ ${prediction.temperature.toFixed(2)}`, 1)]] : []),
    [count(prediction.allClasses), create("probability", "softmax", 0)],
  ];
  return chain.flatMap(([shape, part], index) => {
    const [first, ...others] = [part].flat();
    const arrow = el("span", { class: index ? "arrow" : "arrow first" }, el("small", {}, shape || say("tokens_count", { count: Q })));
    return [el("span", { class: "link" }, arrow, first), ...others];
  });
}

/** A box for each layer; that which is followed is also open, after its box. */
function layersOf(record, own, create, say, set) {
  return Array.from({ length: record.sizes.L }, (_, layer) => {
    const inside = own.filter((block) => block.layer === layer), all = inside.reduce((sum, { parameters }) => sum + parameters, 0);
    const isOpen = layer === record.layer;
    const closed = el("button", { type: "button", class: `box layer${isOpen ? " opened" : ""}`, title: say("open_layer", { layer: layer + 1 }),
      onclick: () => set({ layer }) }, el("b", {}, say("layer", { layer: layer + 1 })),
    el("small", { class: "size" }, say("box_layer", { heads: record.sizes.H })), parametersText(all, say));
    return isOpen ? [closed, openLayer(record, inside, create, say, set)] : closed;
  });
}

function box(name, size, parameters, say, onclick, title = say(`box_${name}`)) {
  return el("button", { type: "button", class: `box ${name}`, "data-box": name, onclick },
    el("b", {}, title), el("small", { class: "size" }, size), parameters ? parametersText(parameters, say) : null);
}

const parametersText = (parameters, say) => (
  el("small", { class: "parameters" }, say("parameters", { count: parameters, number: count(parameters) })));
