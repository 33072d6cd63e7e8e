// What a selected token attends to most, beside a uniform head.

import assert from "node:assert/strict";
import { test } from "node:test";
import { selectedSentence, strongestOf, uniformWeight } from "../../../../viz_core/explorer/source/explorer/selected.js";
import { near } from "../near.js";

// Three words of one, two and one tokens.
const side = { labels: ["a", "b c", "d"], size: Int32Array.of(1, 2, 1), count: 3 };
const map = { special: "shown", keys: [0, 1, 2] };
const derived = { sides: { query: side, key: side }, map, axes: { queries: [0, 1, 2], keys: [0, 1, 2] }, over: "key", token: 0,
  weights: Float32Array.of(0.25, 0.25, 0.5) };
const say = (key, values) => JSON.stringify([key, values]);

test("a uniform head gives a word as much as its tokens together", () => {
  near([0, 1, 2].map((key) => uniformWeight(derived, 0, key)), [0.25, 0.5, 0.25]);
  near(uniformWeight({ ...derived, map: { special: "renormalised", keys: [0, 2] } }, 0, 2), 0.5);
});

test("in causal attention among the tokens so far", () => {
  const causal = { query: side, key: side, isCausal: true };
  near(uniformWeight({ ...derived, sides: causal }, 1, 0), 1 / 3);
});

test("the sentence names the strongest of what is drawn", () => {
  assert.equal(strongestOf(derived), 2);
  assert.equal(strongestOf({ ...derived, axes: { ...derived.axes, keys: [0, 1] } }), 0);
  assert.equal(strongestOf(derived, () => false), null);
  assert.equal(selectedSentence(say, { direction: "from" }, derived),
    say("selected_from", { query: "a (1)", key: "d (3)", weight: "0.5", uniform: "0.25" }));
  assert.equal(selectedSentence(say, { direction: "to" }, { ...derived, over: "query" }),
    say("selected_to", { query: "d (3)", key: "a (1)", weight: "0.5", uniform: "0.25" }));
});
