// The rest of the layer: residual additions and feed-forward, and the layers after it.

import { ACTIVATIONS } from "./arithmetic.js";
import { biasOf, norm, normStrips } from "./steps_embedding.js";

/** The length of the residual stream of every token after some layers, 0 before the first, beside the tokens. */
export function lengths({ record }, say, layers = [record.layer, record.layer + 1]) {
  const { K, L } = record.sizes, all = record.array("prediction.lengths");
  if (record.kind === "cross" || all.length !== (L + 1) * K) return [];
  return layers.map((layer) => ({
    bars: true, title: say(layer ? "column_length_after" : "column_length_before", { layer }), values: all.subarray(layer * K, (layer + 1) * K),
    sameAs: all }));
}

/** a + b = sum, of the query; the last of the strips is the sum. */
const addition = (view, say, ...strips) => [{ side: "query", title: view.queryName, axis: "D",
  strips: strips.map(([label, values], index) => ({ sign: index === 0 ? "" : index === strips.length - 1 ? "=" : "+", label: say(label), values,
    isResult: index === strips.length - 1 })) }];

/** What a sub-layer adds, with its name. */
const attended = (record) => ["projected", record.array(record.has("layer.attention_normed") ? "layer.attention_normed" : "layer.projected")];
const fed = (record) => ["feedforward_out", record.array(record.has("layer.feedforward_normed") ? "layer.feedforward_normed" : "layer.feedforward")];

/** The normalisation of what a sub-layer adds. */
const outputNorm = (view, say, name, before, after) => ({
  ...norm(view.record, view.record.sizes.D), note: "output_norm", panels: [],
  parts: [{ side: "query", title: view.queryName, ...normStrips(view, "query", name, view.record.array(before), view.record.array(after), say) }] });

const sum = (a, b) => Float64Array.from(a, (value, index) => value + b[index]);

/** The activation of the feed-forward, as it is written. */
export const activationName = ({ activation }) => ({ relu: "ReLU", silu: "SiLU" })[activation] ?? "GELU";

export const LAYER = {
  attention_add(view, say) {
    const { record } = view, { D } = record.sizes;
    return {
      formula: "x' = x + o", shape: `${D} + ${D} → ${D}`, values: {}, panels: [],
      parts: addition(view, say, ["stream", record.array("query.stream")], attended(record), ["added", record.array("layer.added")]),
    };
  },
  attention_output_norm: (view, say) => outputNorm(view, say, "attention_output", "layer.projected", "layer.attention_normed"),
  feedforward_output_norm: (view, say) => outputNorm(view, say, "feedforward_output", "layer.feedforward", "layer.feedforward_normed"),
  feedforward_norm(view, say) {
    const { record } = view, { D } = record.sizes, pre = record.norm === "pre";
    const before = pre ? record.array("layer.before") : sum(record.array("layer.before"), record.array("layer.feedforward"));
    return { ...norm(record, D), panels: [], note: pre ? "feedforward_norm" : "feedforward_norm_post",
      parts: [{ side: "query", title: view.queryName, ...normStrips(view, "query", "feedforward", before, record.array(pre ? "layer.read" : "layer.output"), say) }] };
  },
  feedforward(view, say) {
    const { record, matrices } = view, { D, F } = record.sizes, isGated = record.has("layer.gate");
    const [read, hidden, activated, output] = ["read", "hidden", "activated", "feedforward"].map((part) => record.array(`layer.${part}`));
    const gate = isGated ? record.array("layer.gate") : null, opened = gate?.map(ACTIVATIONS[record.activation]);
    const active = (opened ?? activated).filter((value) => value > 0).length, name = activationName(record);
    const first = `x W_1${biasOf(record, "hidden", "1")}`, second = biasOf(record, "feedforward", "2");
    const matrix = (symbol, part, values) => ({ axis: "D", rowAxis: "F", matrix: { symbol, values: matrices.array(`w_${part}`),
      bias: matrices.array(`b_${part}`), isBiased: record.biases.includes(part), x: read, xLabel: say("read_feedforward"), ...values } });
    const title = { side: "query", title: view.queryName };
    return {
      formula: isGated ? `f = ( "${name}"( x W_G${biasOf(record, "gate", "G")} ) ⊙ ${second || first.includes("+") ? `( ${first} )` : first} ) W_2${second}`
        : `f = "${name}"( ${first} ) W_2${second}`,
      shape: `${D} → ${F} → ${D}`, note: isGated ? "feedforward_gated" : "feedforward",
      values: { active, hidden: F, activation: name }, panels: [], more: record.parallel ? say("note_parallel") : null,
      parts: [
        ...(!matrices ? [{ ...title, axis: "D", strips: [{ label: say("read_feedforward"), values: read }] }] : [
          ...(isGated ? [{ ...title, ...matrix("W_G", "gate", { result: gate, resultLabel: "g" }) }] : []),
          { ...(isGated ? { side: null, title: say("hidden") } : title), ...matrix("W_1", "hidden", { result: hidden, resultLabel: "h" }) }]),
        { side: null, axis: "F", strips: isGated ? [{ label: say("gate"), values: gate }, { sign: "→", label: `${name}(g)`, values: opened },
          { sign: "×", label: `${say("hidden")} h`, values: hidden }, { sign: "=", label: say("products"), values: activated, isResult: true }]
          : [{ label: say("hidden"), values: hidden }, { sign: "→", label: name, values: activated }] },
        ...(matrices ? [{ side: null, axis: "F", rowAxis: "O",
          matrix: { symbol: "W_2", values: matrices.array("w_feedforward"), bias: matrices.array("b_feedforward"),
            isBiased: record.biases.includes("feedforward"), x: activated, xSymbol: "a", xLabel: isGated ? say("products") : name, result: output,
            resultLabel: "f" } }] : []),
        { side: null, axis: "O", strips: [{ sign: "=", label: say("feedforward_out"), values: output, isResult: true }] }],
    };
  },
  feedforward_add(view, say) {
    const { record } = view, { D } = record.sizes, { parallel } = record, before = record.array("layer.before"), added = fed(record);
    return {
      formula: parallel ? "x' = x + o + f" : "x'' = x' + f", shape: `${D} + ${D}${parallel ? ` + ${D}` : ""} → ${D}`, values: {}, panels: lengths(view, say),
      note: parallel ? "feedforward_add_parallel" : "feedforward_add",
      parts: addition(view, say, ["stream", before], ...(parallel ? [attended(record)] : []), added,
        ["added", record.norm === "pre" ? record.array("layer.output") : sum(before, added[1])]),
    };
  },
  layers(view, say) {
    const { record } = view, { L, C } = record.sizes, { layer } = record, isLast = layer + 1 === L;
    const last = record.pooling ? (C ? "" : "_end") : record.kind === "self" ? "_encoder" : "_decoder";
    const streams = record.rows("query.streams").slice(0, layer + 1);
    return {
      formula: `x^{(l)} → x^{(l+1)}`, shape: `${record.sizes.Q} × ${record.sizes.D}`,
      values: { layer: layer + 1, next: layer + 2, layers: L },
      note: !isLast ? "layers" : L === 1 && !last ? "layers_single" : `layers_last${last}`, panels: lengths(view, say),
      parts: [{ side: "query", title: view.queryName, axis: "D",
        strips: [...streams, record.array("layer.output")].map((values, index) => ({ values, isResult: index === layer + 1,
          label: say(index ? "length_after" : "length_before", { layer: index }) })) }],
    };
  },
};
