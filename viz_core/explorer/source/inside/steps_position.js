// What some models do to queries and keys before their product: they normalise them in each head, and rotate them by their
// positions.

import { joinTexts } from "../shared/translator.js";
import { number } from "./numbers.js";
import { norm, normStrips } from "./steps_embedding.js";

/** The query and the key, as a record has them before and after. */
function beforeAndAfter({ record, key, start, queryName, keyName }, before, after) {
  const { d } = record.sizes, window = (name) => record.array(`head.${name}`).subarray((key - start) * d, (key - start + 1) * d);
  return {
    query: { name: queryName, before: record.array(`head.${before}query`), after: record.array(`head.${after}query`) },
    key: { name: keyName, before: window(`${before}keys`), after: window(`${after}keys`) },
  };
}

export const POSITION = {
  head_norm(view, say) {
    const { record } = view, tokens = beforeAndAfter(view, "unnormed_", record.has("head.unrotated_query") ? "unrotated_" : "");
    return {
      ...norm(record, record.sizes.d), panels: [],
      parts: Object.entries(tokens).map(([side, { name, before, after }]) => (
        { side, title: name, ...normStrips(view, "query", side, before, after, say), axis: "d" })),
    };
  },

  rotation(view, say) {
    const { record } = view, { d } = record.sizes, tokens = beforeAndAfter(view, "unrotated_", ""), half = d / 2;
    const positions = { query: view.query, key: view.key }, symbols = { query: "q", key: "k" };
    const isLonger = Math.abs(record.lengthening - 1) > 1e-3;
    return {
      formula: `q'_m = q_m "cos " p θ_m − q_{m+${half}} "sin " p θ_m , q'_{m+${half}} = q_m "sin " p θ_m + q_{m+${half}} "cos " p θ_m`,
      shape: `${d} → ${d}`,
      values: { position: view.query, other: view.key, distance: Math.abs(view.query - view.key) },
      more: isLonger ? joinTexts(say("note_rotary"), say("note_lengthening", { factor: number(record.lengthening) })) : say("note_rotary"),
      panels: [],
      parts: [{ pairs: { tokens, positions, frequencies: record.array("head.frequencies") } },
        ...Object.entries(tokens).map(([side, { name, before, after }]) => ({ side, title: name, axis: "d", strips: [
          { label: say("unrotated", { symbol: symbols[side] }), values: before },
          { sign: "→", label: say("rotated", { symbol: symbols[side], position: positions[side] }), values: after, isResult: true }] }))],
    };
  },
};
