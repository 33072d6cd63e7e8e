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
    const { H, G, d } = record.sizes, isJoint = record.has("head.joint_query");
    const joint = isJoint ? { query: record.array("head.joint_query")[0], key: record.array("head.joint_keys")[view.key - view.start] } : {};
    return {
      ...norm(record, d), panels: [], note: isJoint ? "head_norm_joint" : "head_norm",
      values: { heads: H, queries: H * d, keys: G * d },
      parts: Object.entries(tokens).map(([side, { name, before, after }]) => (
        { side, title: name, ...normStrips(view, "query", side, before, after, say, joint[side] ?? null), axis: "d" })),
    };
  },

  rotation(view, say) {
    const { record } = view, { d } = record.sizes, tokens = beforeAndAfter(view, "unrotated_", "");
    const frequencies = record.array("head.frequencies"), half = frequencies.length, isPartial = 2 * half < d;
    const positions = { query: view.query, key: view.key }, symbols = { query: "q", key: "k" };
    const isLonger = Math.abs(record.lengthening - 1) > 1e-3;
    return {
      formula: `q'_m = q_m "cos " p θ_m − q_{m+${half}} "sin " p θ_m , q'_{m+${half}} = q_m "sin " p θ_m + q_{m+${half}} "cos " p θ_m`,
      shape: `${2 * half} → ${2 * half}`,
      values: { position: view.query, other: view.key, distance: Math.abs(view.query - view.key) },
      more: joinTexts(...(isPartial ? [say("note_partial", { turned: 2 * half, d })] : []), say("note_rotary"),
        ...(isLonger ? [say("note_lengthening", { factor: number(record.lengthening) })] : [])),
      panels: [],
      parts: [{ pairs: { tokens, positions, frequencies } },
        ...Object.entries(tokens).map(([side, { name, before, after }]) => ({ side, title: name, axis: "d", strips: [
          { label: say("unrotated", { symbol: symbols[side] }), values: before },
          { sign: "→", label: say("rotated", { symbol: symbols[side], position: positions[side] }), values: after, isResult: true }] }))],
    };
  },
};
