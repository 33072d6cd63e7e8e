// The whole model as it is configured: the residual stream as a line from left to right, and the boxes that read it and
// add to it. The layer that is followed is open.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { count } from "./numbers.js";
import { START } from "./state.js";
import { boxOf, stepOfBox } from "./steps.js";

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

/** The boxes in the order of the computation, with arrows between them. */
function boxesOf(record, say, set) {
  const { sizes, kind, blocks, layer: open, pooling, prediction } = record, { Q, D, C, F, H, d, L } = sizes;
  const stack = kind === "self" ? "encoder" : "decoder", own = blocks.filter((block) => block.stack === stack);
  const parametersOf = (name, layer = null) => own.find((block) => block.name === name && block.layer === layer)?.parameters ?? 0;
  const create = (name, size, parameters) => box(name, size, parameters, say, () => set({ step: stepOfBox(name) }));
  const arrow = (shape) => el("span", { class: "arrow" }, el("small", {}, shape));
  const layers = Array.from({ length: L }, (_, layer) => {
    const inside = own.filter((block) => block.layer === layer), all = inside.reduce((sum, { parameters }) => sum + parameters, 0);
    return layer === open ? openLayer(record, layer, inside, create, say, set)
      : el("button", { type: "button", class: "box layer", title: say("open_layer", { layer: layer + 1 }), onclick: () => set({ layer }) },
        el("b", {}, say("layer", { layer: layer + 1 })), el("small", {}, say("box_layer", { heads: H })), el("small", {}, parametersText(all, say)));
  });
  const stem = parametersOf("stem"), stream = `${Q} × ${D}`;
  const embedding = own.some(({ name }) => name === "embedding") ? parametersOf("embedding")
    : blocks.find(({ name }) => name === "embedding")?.parameters ?? 0;
  const parts = [
    create("embedding", record.parts.map((part) => say(`part_${part}`)).join(" + "), embedding),
    ...(stem ? [create("stem", say("size_stem"), stem)] : []),
    ...layers,
    create("pooling", say(`size_pooling_${pooling ?? "translation"}`), parametersOf("norm")),
    create("classifier", `${D} → ${count(prediction.allClasses)}`, parametersOf("classifier")),
    ...(!pooling ? [] : [create("temperature", `÷ ${prediction.temperature.toFixed(2)}`, 1)]),
    create("probability", "softmax", 0),
  ];
  const shapes = parts.map((_, index) => (index < parts.length - (!pooling ? 2 : 3) - 1 ? stream : index === parts.length - (!pooling ? 3 : 4) ? String(D) : String(C)));
  return parts.flatMap((part, index) => (index ? [arrow(shapes[index - 1]), part] : [el("span", { class: "arrow first" }, el("small", {}, say("tokens_count", { count: Q }))), part]));
}

function box(name, size, parameters, say, onclick) {
  return el("button", { type: "button", class: `box ${name}`, "data-box": name, onclick },
    el("b", {}, say(`box_${name}`)), el("small", { class: "size" }, size), parameters ? el("small", {}, parametersText(parameters, say)) : null);
}

const parametersText = (parameters, say) => say("parameters", { count: parameters, number: count(parameters) });

/** A layer with its parts in the true order: normalisation before or after attention and feed-forward. */
function openLayer(record, layer, inside, create, say, set) {
  const { norm, kind, sizes: { H, d, D, F }, activation } = record;
  const parameters = (name) => inside.find((block) => block.name === name)?.parameters ?? 0;
  const norms = 2 * D;
  const attention = kind === "cross" ? "cross_attention" : "attention";
  const heads = el("span", { class: "heads", role: "group", "aria-label": say("head") }, ...Array.from({ length: H }, (_, head) => (
    button(String(head + 1), say("head_of_layer", { layer: layer + 1, head: head + 1 }), () => set({ head }), { "aria-pressed": String(head === record.head) }))));
  const branch = (normName, add, ...boxes) => {
    const first = create(normName, "γ, β", norms);
    const sub = el("span", { class: "sub" }, el("span", { class: "around" }, el("span", { class: "stream" }), create(add, "", 0)),
      el("span", { class: "below" }, ...(norm === "pre" ? [first] : []), ...boxes));
    return el("span", { class: "branch" }, sub, ...(norm === "post" ? [el("span", { class: "stream" }), first] : []));
  };
  return el("span", { class: "layer open", role: "group", "aria-label": say("layer", { layer: layer + 1 }) },
    el("b", { class: "name" }, say("layer", { layer: layer + 1 })),
    el("span", { class: "branches" },
      branch("attention_norm", "attention_add",
        el("span", { class: "unit" }, create("attention", say("box_heads", { heads: H, d }), parameters(attention) - norms), heads)),
      branch("feedforward_norm", "feedforward_add", create("feedforward", `${D} → ${F} → ${D}, ${activation === "relu" ? "ReLU" : "GELU"}`,
        parameters("feedforward") - norms))));
}
