// The rows of the diagram: the boxes of a stack of layers in the order of the computation, each with the arrow that
// leads to it and its shape.

import { el } from "../shared/dom.js";
import { openLayer } from "./diagram_layer.js";
import { count } from "./numbers.js";
import { stepOfBox } from "./steps.js";

const SHORT = 4; // layers that fit into a row

/** model: of diagram.js. open(patch, box): what a click on a box sets. */
export function rowsOf(model, say, open) {
  const { kind, kinds, pooling, sizes: { S, T, Q, D } } = model;
  if (pooling) return [rowOf(model, say, open, { stack: "encoder", kind, tokens: Q, isOutput: true })];
  const of = (name) => (name === "encoder" ? "self" : kind === "self" ? "cross" : kind); // the attention that is followed
  return [
    ...(kinds.includes("self") ? [rowOf(model, say, open, { stack: "encoder", kind: of("encoder"), tokens: S })] : []),
    el("p", { class: "memory" }, el("b", {}, `↓ ${S}×${D}`), ` ${say("memory")}`),
    rowOf(model, say, open, { stack: "decoder", kind: of("decoder"), tokens: T, isOutput: true }),
  ];
}

/** tokens: of the stack; isOutput: whether the prediction comes after it. */
function rowOf(model, say, open, { stack, kind, tokens, isOutput = false }) {
  const { sizes: { C, D, E, L }, blocks, pooling, hidden, classes, temperature } = model;
  const isFollowed = model.kind === kind, stream = `${tokens}×${D}`;
  const own = blocks.filter((block) => block.stack === stack), to = isFollowed ? {} : { kind };
  const parametersOf = (name) => own.find((block) => block.name === name)?.parameters ?? 0;
  const create = (name, size, parameters, title, patch = to) => box(name, size, parameters, say, title, {
    "data-other": patch.kind ?? null, onclick: (event) => open({ ...patch, step: stepOfBox(name) }, event.currentTarget) });
  const parts = isFollowed ? model.parts : ["token", "position"];
  const output = () => [
    [stream, create("pooling", say(`size_pooling_${pooling ?? "translation"}`, { first: model.firstToken }), parametersOf("norm"),
      pooling ? say("box_pooling") : normName(model, say), {})],
    ...(hidden ? [[String(D), create("classifier_hidden", `${D} → ${D}, ${hidden}`,
      parametersOf("classifier_hidden"), undefined, {})]] : []),
    [String(D), create("classifier", `${D} → ${count(classes)}`, parametersOf("classifier"), undefined, {})],
    // Fitted after the training, the temperature is not counted among the parameters of the model.
    ...(temperature !== null ? [[String(C), create("temperature", `÷ ${temperature.toFixed(2)}`, 0)]] : []),
    [count(classes), create("probability", "softmax", 0, undefined, {})],
  ];
  const chain = [
    ["", create("embedding", parts.map((part) => say(`part_${part}`)).join(" + "), parametersOf("embedding"))],
    ...own.filter(({ name }) => name === "stem" || name === "mapping").map(({ name, parameters }) => (
      [`${tokens}×${E}`, create(name, name === "stem" ? say("size_stem") : `${E} → ${D}`, parameters)])),
    ...layersOf(model, own, create, say, open, { to, isFollowed }).map((layer) => [stream, layer]),
    ...(isOutput ? (C ? output() : []) : [[stream, plainNorm(model, parametersOf("norm"), say)]]),
  ];
  return el("div", { class: `row ${stack}${L <= SHORT ? " short" : ""}`, role: "group", "aria-label": say(pooling ? "diagram" : `box_${stack}`) },
    ...(pooling ? [] : [el("b", { class: "stack" }, say(`box_${stack}`))]),
    ...chain.flatMap(([shape, part], index) => {
      const [first, ...others] = [part].flat();
      const arrow = el("span", { class: index ? "arrow" : "arrow first" }, el("small", {}, shape || say("tokens_count", { count: tokens })));
      return [el("span", { class: "link" }, arrow, first), ...others];
    }));
}

/** A box for each layer; that which is followed is also open, after its box. */
function layersOf(model, own, create, say, open, { to, isFollowed }) {
  return Array.from({ length: model.sizes.L }, (_, layer) => {
    const inside = own.filter((block) => block.layer === layer), all = inside.reduce((sum, { parameters }) => sum + parameters, 0);
    const isOpen = isFollowed && layer === model.layer;
    const closed = el("button", { type: "button", class: `box layer${isOpen ? " opened" : ""}`, title: say("open_layer", { layer: layer + 1 }),
      onclick: (event) => open({ ...to, layer }, event.currentTarget) }, el("b", {}, say("layer", { layer: layer + 1 })),
    el("small", { class: "size" }, say("box_layer", { heads: model.sizes.H })),
    all ? parametersText(all, say) : el("small", { class: "parameters" }, say("parameters_shared")));
    return isOpen ? [closed, openLayer(model, inside, create, say, open)] : closed;
  });
}

function box(name, size, parameters, say, title = say(`box_${name}`), attributes) {
  return el("button", { type: "button", class: `box ${name}`, "data-box": name, ...attributes },
    el("b", {}, title), el("small", { class: "size" }, size), parameters ? parametersText(parameters, say) : null);
}

/** The normalisation at the end of an encoder, which has no step of its own. */
const plainNorm = (model, parameters, say) => el("span", { class: "box" }, el("b", {}, normName(model, say)),
  el("small", { class: "size" }, normSize(model)), parameters ? parametersText(parameters, say) : null);

/** What the boxes of normalisations say: their name, and what they have learned. */
export const normName = ({ centred }, say) => say(centred ? "box_attention_norm" : "box_rms_norm");
export const normSize = ({ centred, learned }) => (!learned ? "" : centred ? "γ, β" : "γ");

export const parametersText = (parameters, say) => (
  el("small", { class: "parameters" }, say("parameters", { count: parameters, number: count(parameters) })));
