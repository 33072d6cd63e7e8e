// From the token to what the head reads: embeddings, stem, normalisation before the attention.

import { moments } from "./arithmetic.js";
import { number } from "./numbers.js";

/** The vectors of the query and of the key, drawn by the same function; the key only if it is another token. */
function bothTokens(view, strips) {
  const { record, queryName, keyName } = view;
  const same = record.kind !== "cross" && record.query === record.key;
  return [{ side: "query", title: queryName, ...strips("query") },
    ...(same ? [] : [{ side: "key", title: keyName, ...strips("key") }])];
}

export const EMBEDDING = {
  embedding(view, say) {
    const { record } = view, { E, K } = record.sizes;
    const symbols = record.parts.map((part) => `"${say(`part_${part}`)}"_i`);
    if (record.embeddingScale !== 1) return scaled(view, symbols[0], say);
    return {
      formula: `x_i = ${symbols.join(" + ")}`,
      shape: `${record.parts.map(() => E).join(" + ")} → ${E}`,
      values: { count: record.parts.length, tokens: K, width: E },
      note: record.parts.length === 1 ? "embedding_alone" : "embedding",
      panels: [],
      parts: bothTokens(view, (side) => ({
        axis: axisOf(record),
        strips: record.parts.length === 1 ? [{ label: say("part_token"), values: record.array(`${side}.sum`), isResult: true }] : [...record.parts.map((part, index) => ({
          sign: index ? "+" : "", label: say(`part_${part}`), values: record.array(`${side}.parts.${part}`) })),
        { sign: "=", label: say("part_sum"), values: record.array(`${side}.sum`), isResult: true }],
      })),
    };
  },

  embedding_norm(view, say) {
    const { record } = view;
    return {
      ...norm(record, record.sizes.E),
      panels: [],
      parts: bothTokens(view, (side) => ({ ...normStrips(view, side, "embedding", record.array(`${side}.sum`),
        record.array(`${side}.embedded`), say), axis: axisOf(record) })),
    };
  },

  mapping(view, say) {
    const { record, matrices } = view, { E, D } = record.sizes;
    const mapped = (side) => ({ label: say("mapped"), values: record.array(`${side}.stem`), isResult: true });
    const [first, ...others] = bothTokens(view, (side) => ({ axis: "D", strips: [mapped(side)] }));
    return {
      formula: `x'_i = x_i W_E${biasOf(record, "mapping", "E")}`, shape: `${E} · (${E} × ${D}) → ${D}`, values: { embedding: E, width: D }, panels: [],
      parts: [matrices ? { ...first, strips: null, axis: "E", rowAxis: "D",
        matrix: { symbol: "W_E", values: matrices.array("w_mapping"), bias: matrices.array("b_mapping"), isBiased: record.biases.includes("mapping"), x: record.array("query.embedded"),
          xLabel: say("before"), result: record.array("query.stem"), resultLabel: "x'" } } : first, ...others],
    };
  },

  stem(view, say) {
    const { record } = view, { D } = record.sizes;
    return {
      formula: `x'_i = "norm"( x_i + "ReLU"( W_1 x_{i-1} + W_2 x_i + W_3 x_{i+1} + b ) )`,
      shape: `3 × ${D} → ${D}`,
      values: {},
      panels: [],
      parts: bothTokens(view, (side) => ({
        axis: "D",
        strips: [{ label: say("before"), values: record.array(`${side}.embedded`) },
          { sign: "+", label: say("convolved"), values: record.array(`${side}.convolved`) },
          { sign: "→", label: say("after_stem"), values: record.array(`${side}.stem`), isResult: true }],
      })),
    };
  },

  attention_norm(view, say) {
    const { record } = view, { D } = record.sizes, pre = record.norm === "pre";
    if (!pre) {
      return { ...norm(record, D), note: "attention_norm_post", panels: [],
        parts: [{ side: "query", title: view.queryName,
          ...normStrips(view, "query", "attention", record.array("layer.added"), record.array("layer.normed"), say) }] };
    }
    return {
      ...norm(record, D),
      more: !record.learned ? say("note_unlearned") : record.centred ? null : say("note_rms"),
      panels: [{ title: say("stream"), values: view.stream, columns: D },
        { title: say("read"), values: view.reads, columns: D }],
      parts: bothTokens(view, (side) => (record.kind === "cross" && side === "key"
        ? { axis: "D", strips: [{ label: say("read"), values: record.array("key.read"), isResult: true }] }
        : normStrips(view, side, "attention", record.array(`${side}.stream`), record.array(`${side}.read`), say))),
    };
  },
};

/** The embedding of a token, multiplied by √D; symbol: of it. */
function scaled(view, symbol, say) {
  const { record } = view, { E } = record.sizes, scale = record.embeddingScale;
  return {
    formula: `x_i = \\sqrt{${E}} · ${symbol}`, shape: `${E} → ${E}`, values: { width: E, factor: number(scale) }, note: "embedding_scaled", panels: [],
    parts: bothTokens(view, (side) => {
      const values = record.array(`${side}.sum`);
      return { axis: "D", strips: [{ label: say("part_token"), values: values.map((value) => value / scale) },
        { sign: "=", label: say("part_times", { factor: number(scale) }), values, isResult: true }] };
    }),
  };
}

/** The axis of the embeddings: that of the model, unless they are narrower. */
const axisOf = ({ sizes: { E, D } }) => (E === D ? "D" : "E");

/** ` + b_Q` of a map that has a bias. */
export const biasOf = ({ biases }, name, letter) => (biases.includes(name) ? ` + b_${letter}` : "");

/** Formula, shape and sentence of a normalisation. */
export const norm = ({ centred, learned }, D) => ({
  formula: centred ? `y = \\frac{x - μ}{σ}${learned ? " γ + β" : ""}` : `y = \\frac{x}{"RMS"(x)}${learned ? " γ" : ""}`, shape: `${D} → ${D}`, values: {},
});

/**
 * Before and after a normalisation of the query or the key, with mean and deviation, and γ and β where they are known. joint:
 * the deviation, where it is that of all heads together.
 */
export function normStrips({ record }, side, name, before, after, say, joint = /** @type {number | null} */ (null)) {
  const { centred, learned, epsilon } = record, own = moments(before, epsilon, centred), D = before.length;
  const mean = joint === null ? own.mean : 0, deviation = joint ?? own.deviation;
  const isKnown = learned && record.has(`norms.${name}`) && (side === "query" || record.kind !== "cross");
  const weights = isKnown ? record.array(`norms.${name}`) : null;
  return {
    axis: "D",
    strips: [
      { label: say("before"), values: before },
      ...(learned ? [{ label: say(centred ? "standardised" : "standardised_rms"), values: Float64Array.from(before, (value) => (value - mean) / deviation) }] : []),
      ...(weights ? [{ sign: "×", label: "γ", values: weights.subarray(0, D) }] : []),
      ...(weights && centred ? [{ sign: "+", label: "β", values: weights.subarray(D) }] : []),
      { sign: weights ? "=" : "→", label: say("after_norm"), values: after, isResult: true },
    ],
    equation: say(joint !== null ? "root_mean_square_joint" : centred ? "moments" : "root_mean_square", { mean: number(mean), deviation: number(deviation) }),
  };
}
