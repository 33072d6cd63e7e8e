// The layer of the diagram that is open: its parts in the true order, with the normalisation before or after each.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { parametersText } from "./diagram_rows.js";

/** blocks: of the layer; create(name, size, parameters): a box; open(patch, box): what a click on a box sets. */
export function openLayer(model, blocks, create, say, open) {
  const { norm, kind, layer, sizes: { H, D, d, F }, activation, pooling } = model;
  const norms = blocks.some((block) => block.parameters) ? 2 * D : 0; // nothing is counted twice of layers that are shared
  const parameters = (name) => (blocks.find((block) => block.name === name)?.parameters ?? norms) - norms;

  /** What reads the residual stream and adds to it. boxes: after the normalisation of a pre-norm model. */
  function branch(first, add, ...boxes) {
    const sub = el("span", { class: "sub" }, el("span", { class: "around" }, el("span", { class: "stream" }), add),
      el("span", { class: "below" }, ...(norm === "pre" ? [first] : []), ...boxes));
    return el("span", { class: "branch" }, sub, ...(norm === "post" ? [el("span", { class: "stream" }), first] : []));
  }

  const attention = (name) => el("span", { class: "unit" },
    create("attention", say("box_heads", { heads: H, d }), parameters(name), kind === "self" ? undefined : say(`kind_${kind}`)),
    headsOf(model, say, open));
  const followed = (name) => branch(create("attention_norm", "γ, β", norms), create("attention_add", "", 0), attention(name));
  // A decoder has two attentions; the one that is not followed leads to its own steps.
  const other = (name, to) => branch(plain(say("box_attention_norm"), "γ, β", parametersText(norms, say)), plain("＋"),
    el("button", { type: "button", class: "box", onclick: (event) => open({ kind: to }, event.currentTarget) },
      el("b", {}, say(`kind_${to}`)), el("small", { class: "size" }, say("box_heads", { heads: H, d })), parametersText(parameters(name), say)));
  const attentions = { self: [followed("attention")],
    causal: [followed("attention"), ...(pooling ? [] : [other("cross_attention", "cross")])],
    cross: [other("attention", "causal"), followed("cross_attention")] }[kind];
  return el("span", { class: "layer open", role: "group", "aria-label": say("layer", { layer: layer + 1 }) },
    el("b", { class: "name" }, say("layer", { layer: layer + 1 })),
    el("span", { class: "branches" }, ...attentions,
      branch(create("feedforward_norm", "γ, β", norms), create("feedforward_add", "", 0),
        create("feedforward", `${D} → ${F} → ${D}, ${activation === "relu" ? "ReLU" : "GELU"}`, parameters("feedforward")))));
}

/** A box that is no button. */
const plain = (name, size, parameters = null) => (
  el("span", { class: "box" }, el("b", {}, name), size ? el("small", { class: "size" }, size) : null, parameters));

/** The heads as small buttons; that which is followed is pressed. */
function headsOf({ layer, head: current, sizes: { H } }, say, open) {
  const choose = (head) => button(String(head + 1), say("head_of_layer", { layer: layer + 1, head: head + 1 }),
    (event) => open({ head }, event.currentTarget), { "aria-pressed": String(head === current) });
  return el("span", { class: "heads", role: "group", "aria-label": say("head") },
    ...Array.from({ length: H }, (_, head) => choose(head)));
}
