// One head: queries, keys, values, scores, weights, and what the heads give together.

import { dot, exponentials, joinRows, multiply, products } from "./arithmetic.js";
import { quoted, withName } from "../shared/names.js";
import { hasMoved } from "./bars.js";
import { number } from "./numbers.js";
import { biasOf } from "./steps_embedding.js";

/**
 * x · Wᵀ + b of a token, and, beside the tokens, what all keys of the window read and get. matrix: its weights and bias,
 * null while they are on their way, as `result` and `all` may be; all: undefined where the tokens beside get nothing.
 */
function projection(view, say, { side, name, symbol, matrix, result, all }) {
  const { record } = view, { D, d } = record.sizes, letter = symbol.toUpperCase(), index = side === "query" ? "i" : "j";
  const x = record.array(`${side}.read`);
  return {
    formula: `${symbol}_${index} = x_${index} W_${letter}${biasOf(record, name, letter)}`,
    shape: `${D} · (${D} × ${d}) → ${d}`,
    values: { width: D, d },
    more: side === "query" ? null : shared(record, say),
    panels: all !== undefined ? [{ title: say("read"), values: view.reads, columns: D }, { title: say(`vector_${name}`), values: all, columns: d }] : [],
    parts: [{ side, title: side === "query" ? view.queryName : view.keyName, axis: "D", ...(matrix
      ? { rowAxis: "d", matrix: { symbol: `W_${letter}`, ...matrix, x, xLabel: say("read"), result, resultLabel: symbol } }
      : { strips: [{ label: say("read"), values: x }] }) }],
  };
}

/** Weights and bias of a projection of the head. */
const matrixOf = ({ matrices, record }, name) => matrices && (
  { values: matrices.array(`w_${name}`), bias: matrices.array(`b_${name}`), isBiased: record.biases.includes(name) });

/** What the matrix gives, before anything else is done to it. part: `query` or `keys`. */
const projected = ({ array, has }, part) => array(["unnormed_", "unrotated_", ""].map((before) => `head.${before}${part}`).find(has));

/** Which heads have the same keys and values; null where each has its own. */
function shared({ head, sizes: { H, G } }, say) {
  const count = H / G, first = Math.floor(head / count) * count + 1;
  return count > 1 ? say("note_shared", { first, last: first + count - 1, count: G, heads: H }) : null;
}

/** (W, d): what the matrix makes of each row of the window. */
function projectAll({ reads, length, record: { sizes: { D } } }, { values, bias }) {
  const rows = Array.from({ length }, (_, row) => reads.subarray(row * D, (row + 1) * D));
  return joinRows(rows.map((x) => multiply(values, x, bias)));
}

/** A head of the layer in a list of them. */
const nameOfHead = (record, head, say) => withName(say("head_named", { head: head + 1 }), record, record.layer, head);

/** A column of bars beside the tokens. */
const bars = (title, values, rest = {}) => ({ title, bars: true, values, ...rest });

export const HEAD = {
  query(view, say) {
    const { record } = view, matrix = matrixOf(view, "query");
    // In cross-attention the tokens beside are keys: no queries of theirs are computed.
    const all = record.kind === "cross" ? undefined : matrix && view.reads && projectAll(view, matrix);
    return projection(view, say, { side: "query", name: "query", symbol: "q", matrix, result: projected(record, "query"), all });
  },
  keys(view, say) {
    const keys = projected(view.record, "keys"), { d } = view.record.sizes;
    return projection(view, say, { side: "key", name: "key", symbol: "k", matrix: matrixOf(view, "key"), result: view.ofKey(keys, d),
      all: keys });
  },
  values(view, say) {
    const matrix = matrixOf(view, "value");
    return projection(view, say, { side: "key", name: "value", symbol: "v", matrix, all: view.values,
      result: matrix && multiply(matrix.values, view.record.array("key.read"), matrix.bias) });
  },

  products(view, say) {
    const { record } = view, { d } = record.sizes, query = record.array("head.query"), keys = record.array("head.keys");
    const key = view.ofKey(keys, d);
    return {
      formula: `q_i · k_j = Σ_m q_{im} k_{jm}`,
      shape: `${d} · ${d} → 1`,
      values: { score: number(view.scores[view.key]) },
      more: record.positions === "rotary" && !record.has("head.unrotated_query") ? say("note_unrotated", { layer: record.layer + 1 }) : null,
      panels: [{ title: say("vector_key"), values: keys, columns: d },
        { title: say("products"), values: keys.map((value, index) => value * query[index % d]), columns: d },
        bars(say("column_score"), view.scores)],
      parts: [{ side: null, title: `${view.queryName} · ${view.keyName}`, axis: "d",
        strips: [{ label: `q  ${view.queryName}`, values: query, hue: "query" },
          { sign: "×", label: `k  ${view.keyName}`, values: key, hue: "key" },
          { sign: "=", label: say("products"), values: products(query, key), isResult: true }],
        equation: say("sum_of_products", { d, sum: number(dot(query, key)) }) }],
    };
  },
  scores(view, say) {
    const { record } = view, { K, d } = record.sizes, query = record.array("head.query");
    const strongest = indexOfLargest(view.scores);
    return {
      formula: `s_{ij} = q_i · k_j`, shape: `${d} · (${d} × ${K}) → ${K}`,
      values: { score: number(view.scores[view.key]), strongest: nameOf(view, strongest) },
      strongest,
      panels: [{ title: say("vector_key"), values: record.array("head.keys"), columns: d }, bars(say("column_score"), view.scores)],
      parts: [{ side: "query", title: view.queryName, axis: "d", strips: [{ label: "q", values: query, hue: "query" }] }],
    };
  },
  scaling(view, say) {
    const { divisor, sizes: { d, K } } = view.record, unscaled = view.state.changes.unscaled;
    const isLast = !view.record.has("head.bias") && !view.record.has("head.capped"); // only then are its scores edited
    const scaled = isLast ? view.scaled : view.divided;
    return {
      formula: unscaled ? "s_{ij}" : divisor === d ? `\\frac{s_{ij}}{\\sqrt{d}} = \\frac{s_{ij}}{\\sqrt{${d}}}` : `\\frac{s_{ij}}{\\sqrt{${divisor}}}`, shape: `${K} → ${K}`,
      values: { root: number(Math.sqrt(divisor)), d, divisor, score: number(view.scores[view.key]), scaled: number(scaled[view.key]) },
      panels: [bars(say("column_score"), view.scores),
        bars(say(unscaled ? "column_undivided" : "column_scaled"), scaled, { edits: isLast, sameAs: view.scores }), weightBars(view, say)],
      parts: [{ widths: true }],
      note: unscaled ? "scaling_off" : divisor === d ? "scaling" : "scaling_by",
    };
  },
  cap(view, say) {
    const { cap, sizes: { K } } = view.record, isLast = !view.record.has("head.bias"), capped = isLast ? view.scaled : view.capped;
    return {
      formula: `s'_{ij} = ${cap} "tanh" ( \\frac{s_{ij}}{${cap}} )`, shape: `${K} → ${K}`,
      values: { cap, score: number(view.divided[view.key]), capped: number(capped[view.key]) },
      panels: [bars(say("column_scaled"), view.divided), bars(say("column_capped"), capped, { edits: isLast, sameAs: view.divided }), weightBars(view, say)],
      parts: [],
    };
  },
  bias(view, say) {
    const { record } = view, { K } = record.sizes, bias = record.array("head.bias"), distance = view.key - view.query;
    return {
      formula: "s'_{ij} = \\frac{s_{ij}}{\\sqrt{d}} + b_{j-i}", shape: `${K} + ${K} → ${K}`,
      values: { bias: number(bias[view.key]), distance: `${distance < 0 ? "−" : ""}${Math.abs(distance)}`, score: number(view.scaled[view.key]) },
      panels: [bars(say("column_scaled"), view.divided), bars(say("column_bias"), bias),
        bars(say("column_biased"), view.scaled, { edits: true })],
      parts: [],
    };
  },
  mask(view, say) {
    const { record } = view, { K } = record.sizes, hidden = view.visible.filter((shown) => !shown).length, span = record.slidingWindow ?? K;
    const name = span < K ? "mask_window" : record.kind === "causal" ? "mask_causal" : hidden ? "mask_changed" : "mask";
    return {
      formula: `m_{ij} = s'_{ij} " ${say("mask_or")} " {-∞}`, shape: `${K} → ${K}`,
      values: { hidden, keys: K, before: span - 1 },
      note: name,
      panels: [bars(say(record.has("head.capped") ? "column_capped" : "column_scaled"), view.scaled), bars(say("column_masked"), view.masked, { edits: true })],
      parts: [],
    };
  },
  softmax(view, say) {
    const { K } = view.record.sizes, { powers, sum, isShifted } = exponentials(view.masked);
    const temperature = view.state.changes.temperature ?? 1;
    return {
      formula: temperature === 1 ? `a_{ij} = \\frac{e^{m_{ij}}}{Σ_k e^{m_{ik}}}` : `a_{ij} = \\frac{e^{s'_{ij} / τ}}{Σ_k e^{s'_{ik} / τ}}`,
      shape: `${K} → ${K}`,
      values: { weight: number(view.weights[view.key]), entropy: number(view.entropy), power: number(powers[view.key]), sum: number(sum) },
      panels: [bars(say("column_masked"), view.masked), bars(say(isShifted ? "column_powers_shifted" : "column_powers"), powers), weightBars(view, say)],
      parts: [],
      equation: say("softmax_equation", { power: number(powers[view.key]), sum: number(sum), weight: number(view.weights[view.key]) }),
    };
  },
  weighting(view, say) {
    const { record, values, start } = view, { d, K } = record.sizes;
    const weighted = values.map((value, index) => value * view.weights[start + Math.floor(index / d)]);
    const own = view.ofKey(values, d), weight = view.weights[view.key], strongest = indexOfLargest(view.weights);
    return {
      formula: `z_i = Σ_j a_{ij} v_j`, shape: `${K} · (${K} × ${d}) → ${d}`,
      values: { weight: number(weight), strongest: nameOf(view, strongest) },
      strongest,
      panels: [weightBars(view, say), { title: say("vector_value"), values, columns: d },
        { title: say("column_weighted"), values: weighted, columns: d }],
      parts: [{ side: null, title: say("of_key", { key: quoted(view.keyName) }), axis: "d",
        strips: [{ label: say("vector_value"), values: own, hue: "key" },
          { sign: "=", label: say("weighted_by", { weight: number(weight) }), values: own.map((value) => value * weight) },
          { sign: "Σ", label: say("context"), values: view.context, isResult: true }] }],
    };
  },

  heads(view, say) {
    const { record } = view, { H, d } = record.sizes, contexts = record.rows("layer.contexts");
    return {
      formula: `z = [ z^{(1)}, …, z^{(${H})} ]`, shape: `${H} × ${d} → ${H * d}`, values: { heads: H, d, width: H * d },
      note: H === 1 ? "heads_single" : "heads", panels: [],
      parts: [{ side: "query", title: view.queryName, axis: "d",
        strips: contexts.map((values, head) => ({ label: nameOfHead(record, head, say), isResult: head === record.head,
          values: head === record.head ? view.context : values })) },
      { side: null, title: say("side_by_side"), axis: "Z", segments: H, strips: [{ sign: "=", label: say("together"), isResult: true,
        values: joinRows(contexts.map((values, head) => (head === record.head ? view.context : values))) }] }],
    };
  },
  projection(view, say) {
    const { record, matrices } = view, { D, H, d } = record.sizes, isBiased = record.biases.includes("output"), bias = record.array("layer.b_output");
    const projected = record.array("layer.projected");
    return {
      formula: `o = z W_O${biasOf(record, "output", "O")} = Σ_h z^{(h)} W_O^{(h)}${biasOf(record, "output", "O")}`, shape: `${H * d} · (${H * d} × ${D}) → ${D}`,
      note: isBiased ? "projection" : "projection_unbiased", values: { heads: H, width: D },
      panels: [],
      parts: [{ side: "query", title: view.queryName, axis: "D",
        strips: [...record.rows("layer.parts").map((values, head) => ({ sign: head ? "+" : "", values,
          label: nameOfHead(record, head, say), hue: head === record.head ? "query" : null })),
        ...(isBiased ? [{ sign: "+", label: "b", values: bias }] : []),
        { sign: "=", label: say("projected"), values: projected, isResult: true }] },
      ...(matrices ? [{ side: null, title: `z W_O${isBiased ? " + b_O" : ""} = o`, axis: "Z", rowAxis: "D",
        matrix: { symbol: "W_O", values: matrices.array("w_output"), bias, isBiased, x: record.array("layer.contexts"), xSymbol: "z",
          xLabel: say("together"), result: projected, resultLabel: "o" } }] : [])],
    };
  },
};

/** The column of the weights; its title says what the ticks are, where there are any. */
function weightBars({ weights, before: { weights: before } }, say) {
  const isChanged = weights.some((weight, index) => hasMoved(weight, before[index]));
  return bars(say(isChanged ? "column_weight_before" : "column_weight"), weights, { isWeight: true, before });
}

const nameOf = ({ keyNames }, index) => quoted(keyNames[index]);

/** The index of the largest value. */
const indexOfLargest = (values) => values.reduce((largest, value, index) => (value > values[largest] ? index : largest), 0);
