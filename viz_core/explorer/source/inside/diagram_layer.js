// The layer of the diagram that is open: its parts in the true order, with the normalisation before or after each.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { normName, normSize, parametersText } from "./diagram_rows.js";
import { activationName } from "./steps_layer.js";

/** blocks: of the layer; create(name, size, parameters): a box; open(patch, box): what a click on a box sets. */
export function openLayer(model, blocks, create, say, open) {
  const { norm, centred, kind, layer, sizes: { H, G, D, d, F }, isGated, pooling } = model;
  const norms = blocks.some((block) => block.parameters) ? (centred ? 2 : 1) * D : 0; // nothing is counted twice of layers that are shared
  const normBox = (name) => create(name, normSize(model), norms, normName(model, say));
  const parameters = (name) => (blocks.find((block) => block.name === name)?.parameters ?? norms) - norms;

  /** What reads the residual stream and adds to it. boxes: after the normalisation of a pre-norm model. */
  function branch(first, add, ...boxes) {
    const sub = el("span", { class: "sub" }, el("span", { class: "around" }, el("span", { class: "stream" }), add),
      el("span", { class: "below" }, ...(norm === "pre" ? [first] : []), ...boxes));
    return el("span", { class: "branch" }, sub, ...(norm === "post" ? [el("span", { class: "stream" }), first] : []));
  }

  const feedforward = (rest = "") => create("feedforward", `${D} → ${F} → ${D}${rest}`, parameters("feedforward"));
  const gated = () => el("span", { class: "unit" }, feedforward(), gateOf(activationName(model), F, say));
  const attention = (name) => el("span", { class: "unit" },
    create("attention", say(G < H ? "box_heads_shared" : "box_heads", { heads: H, d, count: G }), parameters(name), kind === "self" ? undefined : say(`kind_${kind}`)),
    headsOf(model, say, open));
  const followed = (name) => branch(normBox("attention_norm"), create("attention_add", "", 0), attention(name));
  // A decoder has two attentions; the one that is not followed leads to its own steps.
  const other = (name, to) => branch(plain(normName(model, say), normSize(model), parametersText(norms, say)), plain("＋"),
    el("button", { type: "button", class: "box", onclick: (event) => open({ kind: to }, event.currentTarget) },
      el("b", {}, say(`kind_${to}`)), el("small", { class: "size" }, say("box_heads", { heads: H, d })), parametersText(parameters(name), say)));
  const attentions = { self: [followed("attention")],
    causal: [followed("attention"), ...(pooling ? [] : [other("cross_attention", "cross")])],
    cross: [other("attention", "causal"), followed("cross_attention")] }[kind];
  return el("span", { class: "layer open", role: "group", "aria-label": say("layer", { layer: layer + 1 }) },
    el("b", { class: "name" }, say("layer", { layer: layer + 1 })),
    el("span", { class: "branches" }, ...attentions,
      branch(normBox("feedforward_norm"), create("feedforward_add", "", 0), isGated ? gated() : feedforward(`, ${activationName(model)}`))));
}

/** A box that is no button. */
const plain = (name, size, parameters = null) => (
  el("span", { class: "box" }, el("b", {}, name), size ? el("small", { class: "size" }, size) : null, parameters));

/** What a gated feed-forward multiplies. */
const gateOf = (activation, F, say) => el("span", { class: "gated" }, el("span", {}, `${activation}( ${say("gate_short")} )`), "×",
  el("span", {}, say("neurons_count", { count: F })));

/** The heads as small buttons; that which is followed is pressed. Those that share keys and values are beside one another. */
function headsOf({ layer, head: current, sizes: { H, G } }, say, open) {
  const choose = (head) => button(String(head + 1), say("head_of_layer", { layer: layer + 1, head: head + 1 }),
    (event) => open({ head }, event.currentTarget), { "aria-pressed": String(head === current), class: G < H && head && head % (H / G) === 0 ? "group" : null });
  return el("span", { class: "heads", role: "group", "aria-label": say("head") },
    ...Array.from({ length: H }, (_, head) => choose(head)));
}
