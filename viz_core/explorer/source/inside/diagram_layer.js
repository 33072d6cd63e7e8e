// The layer of the diagram that is open: its parts in the true order, with the normalisation before or after each.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { withName } from "../shared/names.js";
import { normName, normSize, parametersText } from "./diagram_rows.js";
import { activationName } from "./steps_layer.js";

/** blocks: of the layer; create(name, size, parameters): a box; open(patch, box): what a click on a box sets. */
export function openLayer(model, blocks, create, say, open) {
  const { norm, parallel, norms, centred, learned, kind, layer, sizes: { H, G, D, d, F }, isGated, pooling } = model;
  // Nothing is counted twice of layers that are shared.
  const ofNorm = learned && blocks.some((block) => block.parameters) ? (centred ? 2 : 1) * D : 0;
  const parameters = (name, part) => (blocks.find((block) => block.name === name)?.parameters ?? 0)
    - ofNorm * norms.filter((each) => each.startsWith(part)).length;
  const normBox = (name) => (norms.includes(name) ? [create(`${name}_norm`, normSize(model), ofNorm, normName(model, say))] : []);

  /** What reads the residual stream and adds to it. boxes: below it. after: of a post-norm model. */
  const branch = (add, boxes, after = [], inParallel = "") => el("span", { class: "branch" },
    el("span", { class: "sub" }, el("span", { class: "around" }, el("span", { class: "stream" }), add), el("span", { class: `below ${inParallel}` }, ...boxes)),
    ...(after.length ? [el("span", { class: "stream" }), ...after] : []));
  /** A sub-layer with its normalisations. */
  const withNorms = (name, ...boxes) => [...(norm === "pre" ? normBox(name) : []), ...boxes, ...normBox(`${name}_output`)];
  const after = (name) => (norm === "post" ? normBox(name) : []);

  const feedforwardBox = (rest = "") => create("feedforward", `${D} → ${F} → ${D}${rest}`, parameters("feedforward", "feedforward"));
  const feedforward = isGated ? el("span", { class: "unit" }, feedforwardBox(), gateOf(activationName(model), F, say)) : feedforwardBox(`, ${activationName(model)}`);
  const attention = (name) => el("span", { class: "unit" },
    create("attention", say(G < H ? "box_heads_shared" : "box_heads", { heads: H, d, count: G }), parameters(name, "attention"), kind === "self" ? undefined : say(`kind_${kind}`)),
    headsOf(model, say, open));
  const followed = (name) => branch(create("attention_add", "", 0), withNorms("attention", attention(name)), after("attention"));
  // A decoder has two attentions; the one that is not followed leads to its own steps.
  const other = (name, to) => {
    const itsNorm = [plain(normName(model, say), normSize(model), parametersText(ofNorm, say))];
    const box = el("button", { type: "button", class: "box", onclick: (event) => open({ kind: to }, event.currentTarget) },
      el("b", {}, say(`kind_${to}`)), el("small", { class: "size" }, say("box_heads", { heads: H, d })), parametersText(parameters(name, "attention"), say));
    return branch(plain("＋"), [...(norm === "pre" ? itsNorm : []), box], norm === "post" ? itsNorm : []);
  };
  const attentions = { self: [() => followed("attention")],
    causal: [() => followed("attention"), ...(pooling ? [] : [() => other("cross_attention", "cross")])],
    cross: [() => other("attention", "causal"), () => followed("cross_attention")] }[kind];
  const add = create("feedforward_add", "", 0), shared = norms.includes("feedforward") ? [] : normBox("attention"); // what both read
  const path = (...boxes) => el("span", { class: "path" }, ...boxes);
  const inParallel = () => branch(add, [...shared, el("span", { class: "paths" },
    path(...(shared.length ? [] : normBox("attention")), attention("attention")), path(...withNorms("feedforward", feedforward)))], [], "parallel");
  return el("span", { class: "layer open", role: "group", "aria-label": say("layer", { layer: layer + 1 }) },
    el("b", { class: "name" }, say("layer", { layer: layer + 1 })),
    el("span", { class: "branches" }, ...(parallel ? [inParallel()]
      : [...attentions.map((draw) => draw()), branch(add, withNorms("feedforward", feedforward), after("feedforward"))])));
}

/** A box that is no button. */
const plain = (name, size, parameters = null) => (
  el("span", { class: "box" }, el("b", {}, name), size ? el("small", { class: "size" }, size) : null, parameters));

/** What a gated feed-forward multiplies. */
const gateOf = (activation, F, say) => el("span", { class: "gated" }, el("span", {}, `${activation}( ${say("gate_short")} )`), "×",
  el("span", {}, say("neurons_count", { count: F })));

/** The heads as small buttons; that which is followed is pressed. Those that share keys and values are beside one another. */
function headsOf(model, say, open) {
  const { layer, head: current, sizes: { H, G } } = model;
  const title = (head) => withName(say("head_of_layer", { layer: layer + 1, head: head + 1 }), model, layer, head);
  const choose = (head) => button(String(head + 1), title(head),
    (event) => open({ head }, event.currentTarget), { "aria-pressed": String(head === current), class: G < H && head && head % (H / G) === 0 ? "group" : null });
  return el("span", { class: "heads", role: "group", "aria-label": say("head") },
    ...Array.from({ length: H }, (_, head) => choose(head)));
}
