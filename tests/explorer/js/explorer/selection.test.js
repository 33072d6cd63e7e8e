// The state in a link.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULTS, fromLink, toLink, wholeSet, withoutTokens } from "../../../../viz_core/explorer/source/explorer/selection.js";

const INPUT = { layers: 2, heads: 4, tokens: 15 };
const link = (changes = {}) => toLink({ ...DEFAULTS, ...changes }, INPUT);
const LAYER = [0, 1, 2, 3].map((head) => [1, head]);

test("a link counts from one", () => {
  assert.deepEqual(link({ heads: [[1, 2]], query: 0, key: 14, views: ["text", "heatmap"] }), {
    head: "2.3", query: "1", key: "15", unit: "token", special: "shown", block: "all", scale: "linear",
    limit: "full", direction: "from", views: "23" });
  assert.deepEqual([link().query, link().key], ["all", ""]);
});

for (const [short, heads] of [
  ["1.1", [[0, 0]]],
  ["1.2 2.4", [[0, 1], [1, 3]]],
  ["2.*", LAYER],
  ["*.3", [[0, 2], [1, 2]]],
  ["*.*", [...LAYER.map(([, head]) => [0, head]), ...LAYER]],
]) {
  test(`a link has the heads ${short}`, () => {
    assert.equal(link({ heads }).head, short);
    assert.deepEqual(fromLink({ head: short }, INPUT), { heads });
  });
}

test("every field is restored from a link", () => {
  const state = { heads: [[1, 3]], query: 4, key: 2, unit: "word", special: "renormalised", block: "ba", scale: "log",
    limit: "own", measure: "norms", direction: "to", views: ["text", "distribution"], order: "entropy", present: "links" };
  assert.deepEqual(fromLink(link(state), INPUT), state);
  assert.equal(fromLink(link({ query: null }), INPUT).query, null);
});

for (const [texts, referenceHeads, expected] of [
  [["a good ", "film"], null, { ref_model: "small", ref_head: "", ref_mode: "", ref_a: "a good film", ref_b: "" }],
  [["a"], [[1, 2]], { ref_model: "small", ref_head: "2.3", ref_mode: "", ref_a: "a", ref_b: "" }],
  [["word ".repeat(400)], null, { ref_model: "small", ref_head: "", ref_mode: "", ref_a: "word ".repeat(400), ref_b: "" }],
  [["word ".repeat(401)], null, {}],
]) {
  test(`a reference of ${texts.join("").length} characters is in the link if it is short`, () => {
    const reference = { model: "small", texts: [texts.map((text, at) => [text, at])], ...INPUT };
    const fields = Object.entries(link({ reference, referenceHeads })).filter(([name]) => name.startsWith("ref_"));
    assert.deepEqual(Object.fromEntries(fields), expected);
  });
}

for (const [name, ...values] of [
  ["head", "3.1", "0.0", "1", "<b>"], ["query", "16", "0", "-1", "1e1"], ["key", "99"], ["unit", "letter"], ["special", ""],
  ["block", "cc"], ["scale", "constructor"], ["measure", "x"], ["direction", "up"], ["order", "x"], ["views", "678", ""],
  ["present", "text"], ["heads", "1.1"], ["__proto__", "1"],
]) {
  test(`of a link, ${name} is ignored if it is ${values.join(" or ")}`, () => {
    for (const value of values) assert.deepEqual(fromLink({ [name]: value }, INPUT), {}, value);
  });
}

test("valid parts of a link are used", () => {
  assert.deepEqual(fromLink({ head: "9.9 2.1 1.1 2.1", query: "1", key: "15", scale: "?" }, INPUT),
    { heads: [[1, 0], [0, 0]], query: 0, key: 14 });
});

test("in another text the heads of a reference are kept, save those that are shown, which keep pace", () => {
  for (const [referenceHeads, kept] of [[null, null], [[[1, 2]], [[1, 2]]], [[[0, 0]], null]]) {
    const { query, referenceHeads: heads, unit } = withoutTokens({ ...DEFAULTS, query: 3, unit: "word", referenceHeads });
    assert.deepEqual([query, heads, unit], [undefined, kept, "word"]);
  }
});

test("complete sets of heads are recognised", () => {
  const sets = [[[0, 3]], LAYER, [[0, 2], [1, 2]], LAYER.slice(0, 3), [[0, 0], [1, 1]], LAYER.toReversed()];
  assert.deepEqual(sets.map((heads) => wholeSet(heads, INPUT)), [[0, 3], [1, null], [null, 2], undefined, undefined, [1, null]]);
});
