// Does it matter? What is asked, and what the answers say.

import assert from "node:assert/strict";
import { test } from "node:test";
import { effectsOf, effectsOfWord, questionOf, verdictOf } from "../../../../viz_core/explorer/source/explorer/matters.js";
import { near } from "../near.js";

// [CLS] not good: the first is special; each token is a unit.
const side = { labels: ["[CLS]", "not", "good"], groups: [-1, 0, 0], of: Int32Array.of(0, 1, 2) };
const derived = { sides: { query: side, key: side }, axes: { queries: [0, 1, 2], keys: [0, 1, 2] }, map: {}, key: null,
  over: "key", token: null, weights: Float32Array.of(0.5, 0.3, 0.2) };
const input = { id: "a" }, state = { heads: [[1, 2]], reference: null };

test("without a selected key the word with the largest weight is removed, no special token", () => {
  const { heads, tokens, unitName } = questionOf(input, state, derived, "negative");
  assert.deepEqual([heads, tokens, unitName], [[[1, 2]], [1], "not (2)"]);
});

test("a selected key is removed, with all tokens of a word", () => {
  const words = { labels: ["[CLS]", "un like"], groups: [-1, 0], of: Int32Array.of(0, 1, 1) };
  const { tokens } = questionOf(input, state, { ...derived, sides: { query: words, key: words }, key: 1 }, "negative");
  assert.deepEqual(tokens, [1, 2]);
});

test("a selected query is the first of its tokens", () => {
  const words = { labels: ["[CLS]", "un like", "it"], groups: [-1, 0, 0], of: Int32Array.of(0, 1, 1, 2) };
  const sides = { query: words, key: words };
  assert.equal(questionOf(input, state, { ...derived, sides, token: 2 }, "it").query, 3);
});

test("nothing is asked of what attends to a token, beside a reference, where nothing may change or without weights", () => {
  const nothing = [[input, state, { ...derived, over: "query" }, "negative"], [input, { ...state, reference: {} }, derived, "negative"],
    [input, state, derived, null], [input, state, { ...derived, map: null }, "negative"]];
  assert.deepEqual(nothing.map((question) => questionOf(...question)), [null, null, null, null]);
});

test("changes are those of the predicted class", () => {
  const labels = ["negative", "positive"];
  const masked = { predicted: 0, original: [0.9, 0.1], probabilities: [0.85, 0.15],
    control: { without: 0.9, low: 0.8, high: 0.95, verdict: "within" } };
  const removed = { original: [0.9, 0.1], probabilities: [0.1, 0.9], predicted: 1 };
  const effects = effectsOf({ predicted: 0, labels }, masked, removed);
  near([effects.head, effects.token, ...effects.others], [-0.05, -0.8, -0.1, 0.05]);
  assert.deepEqual([effects.now, effects.nowOfHead, effects.more, verdictOf(effects)], ["positive", null, false, "word_shared"]);
  const last = effectsOf({ predicted: 1, labels }, { original: [0.1, 0.9], probabilities: [0.2, 0.8],
    control: { without: 0.9, low: 0.85, high: 0.95, verdict: "more" } }, { ...removed, original: [0.1, 0.9], probabilities: [0.11, 0.89] });
  near([last.head, last.token, ...last.others], [-0.1, -0.01, -0.05, 0.05]);
  assert.equal(verdictOf(last), "no_word_more");
  const opposite = effectsOf({ predicted: 1, labels }, { original: [0.1, 0.9], probabilities: [0.04, 0.96],
    control: { without: 0.9, low: 0.8, high: 0.92, verdict: "more" } }, { ...removed, original: [0.1, 0.9], probabilities: [0.11, 0.89] });
  assert.equal(verdictOf(opposite), "no_word_shared", "another head changes more, the other way");
});

test("heads and words count from five points on, and a head is compared with others where there are any", () => {
  const verdicts = [[0.1, true, [0, 0], -0.1], [0.1, false, [-0.2, 0], 0.01], [-0.4, false, [], 0.8], [0.01, true, [0, 0], 0.05], [-0.2, false, [-0.3, 0], -0.1], [0.1, false, [], 0, true]];
  assert.deepEqual(verdicts.map(([head, more, others, token, slow]) => verdictOf({ head, more, others, token, slow })),
    ["word_more", "no_word_shared", "word_alone", "word_little", "both_shared", "no_word_slow"]);
});

test("of a word of a translation the changes of its probability, and what would stand there instead", () => {
  const effects = effectsOfWord({ original: 0.5, masked: { probability: 0.6, instead: null }, others: [0.1, 0.4, 0.7],
    blocked: { probability: 0.2, instead: "you" }, slow: false });
  near([effects.head, effects.token, ...effects.others], [0.1, -0.3, -0.4, 0.2]);
  assert.deepEqual([effects.now, effects.nowOfHead, verdictOf(effects)], ["you", null, "word_shared"]);
  assert.equal(verdictOf(effectsOfWord({ original: 0.5, masked: { probability: 0.2, instead: null }, others: [],
    blocked: { probability: 0.5, instead: null }, slow: false })), "no_word_alone");
  assert.equal(verdictOf(effectsOfWord({ original: 0.5, masked: { probability: 0.2, instead: null }, others: [],
    blocked: { probability: 0.5, instead: null }, slow: true })), "no_word_slow");
});
