// The weights between units, worked out by hand; tests/explorer/test_arithmetic.py compares them with the server's.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  attentionMap, blockMass, countHolding, meanWeights, rangeOfSums, receivedWeights, sortByWeight, uniformCurve,
  weightOfFirst, weightsOfUnit,
} from "../../../../viz_core/explorer/source/explorer/attention.js";
import { unitsOf, unitsOfSides } from "../../../../viz_core/explorer/source/explorer/units.js";
import { near } from "../near.js";

// [CLS] a b [SEP] c [SEP], where `a b` is a single word; the pair is `ab` and `c`.
const INPUT = {
  tokens: 6, labels: ["[CLS]", "a", "b", "[SEP]", "c", "[SEP]"], groups: [-1, 0, 0, -1, 1, -1],
  segments: [0, 0, 0, 0, 1, 1], words: [0, 1, 1, 2, 3, 4], wordLabels: ["[CLS]", "ab", "[SEP]", "c", "[SEP]"],
};
const WEIGHTS = Float32Array.of(
  0.5, 0.1, 0.1, 0.1, 0.1, 0.1,
  0.2, 0.2, 0.2, 0.2, 0.1, 0.1,
  0, 0.4, 0.4, 0, 0.2, 0,
  1, 0, 0, 0, 0, 0,
  0, 0.1, 0.3, 0, 0.6, 0,
  0, 0, 0, 0, 0, 1,
);
const sidesIn = (unit) => unitsOfSides(INPUT, unit);
const mapOf = (unit = "token", special = "shown", block = "all") => attentionMap(WEIGHTS, sidesIn(unit), special, block);
const TOKENS = sidesIn("token"), WORDS = sidesIn("word");

test("words are runs of tokens", () => {
  const { of, first, size, ...words } = unitsOf(INPUT, "word");
  assert.deepEqual(words, { count: 5, labels: INPUT.wordLabels, groups: [-1, 0, -1, 1, -1], segments: [0, 0, 0, 1, 1] });
  assert.deepEqual([of, first, size].map((values) => [...values]), [[0, 1, 1, 2, 3, 4], [0, 1, 3, 4, 5], [1, 2, 1, 1, 1]]);
  const tokens = unitsOf(INPUT, "token");
  assert.deepEqual([[...tokens.of], [...tokens.size]], [[0, 1, 2, 3, 4, 5], [1, 1, 1, 1, 1, 1]]);
});

test("a block has the rows and columns of its texts", () => {
  const map = mapOf("token", "hidden", "ab");
  assert.deepEqual([map.queries, map.keys], [[1, 2], [4]]);
  assert.deepEqual([[...map.rowOf], [...map.columnOf]], [[-1, 0, 1, -1, -1, -1], [-1, -1, -1, -1, 0, -1]]);
  near(map.weights, [0.1, 0.2]);
  near(map.largest, 0.2);
});

test("renormalised rows sum to 1, and those without weight stay zero", () => {
  near(mapOf("token", "renormalised", "ab").weights, [1, 1]);
  near(mapOf("token", "renormalised").weights, [0.4, 0.4, 0.2, 0.4, 0.4, 0.2, 0.1, 0.3, 0.6]);
  const two = unitsOfSides({ ...INPUT, tokens: 2, groups: [0, 0] }, "token");
  const nothing = attentionMap(new Float32Array(4), two, "renormalised", "all");
  assert.deepEqual([[...nothing.weights], nothing.largest], [[0, 0, 0, 0], 1]);
});

test("in causal attention the first unit is left out with the special ones", () => {
  const text = { tokens: 3, labels: ["a", "b", "c"], groups: [0, 0, 0], segments: [0, 0, 0], words: [0, 1, 2], wordLabels: [] };
  const weights = Float32Array.of(1, 0, 0, 0.7, 0.3, 0, 0.5, 0.1, 0.4), causal = unitsOfSides({ ...text, kind: "causal" }, "token");
  const mapIn = (sides, special) => attentionMap(weights, sides, special, "all");
  near(weightOfFirst(mapIn(causal, "shown")), 0.6); // the first query has no choice
  const hidden = mapIn(causal, "hidden"), renormalised = mapIn(causal, "renormalised");
  assert.deepEqual([hidden.queries, hidden.keys, weightOfFirst(hidden)], [[1, 2], [1, 2], 0]);
  near(hidden.weights, [0.3, 0, 0.1, 0.4]);
  near(renormalised.weights, [1, 0, 0.2, 0.8]);
  assert.equal(mapIn(unitsOfSides(text, "token"), "hidden").keys.length, 3);
});

test("a word sums over its keys and averages over its queries", () => {
  near(mapOf("word").weights.slice(5, 10), [0.1, 0.6, 0.1, 0.15, 0.05]);
});

for (const [unit, direction, special, expected] of [
  [4, "from", "shown", [0, 0.1, 0.3, 0, 0.6, 0]],
  [4, "to", "shown", [0.1, 0.1, 0.2, 0, 0.6, 0]],
  [0, "from", "hidden", [0, 0.1, 0.1, 0, 0.1, 0]],
  [0, "to", "hidden", [0, 0, 0, 0, 0, 0]],
  [0, "from", "renormalised", [0, 1 / 3, 1 / 3, 0, 1 / 3, 0]], // [CLS] has no row in the map, but still attends
]) {
  test(`weights ${direction} token ${unit}, special tokens ${special}`, () => {
    near(weightsOfUnit(mapOf("token", special), unit, direction, TOKENS), expected);
  });
}

test("what a word receives is averaged over all tokens, of a block over its queries", () => {
  near(receivedWeights(mapOf("word"), WORDS)[3], (0.1 + 0.1 + 0.2 + 0 + 0.6 + 0) / 6);
  near(receivedWeights(mapOf("word", "hidden", "ab"), WORDS), [0, 0, 0, 0.15, 0]);
});

test("the mass of a range is averaged over the tokens of its queries", () => {
  near(blockMass(mapOf(), [1, 2], [1, 2], TOKENS), (0.4 + 0.8) / 2);
  near(blockMass(mapOf("word"), [0, 1], [1, 1], WORDS), (0.2 + 0.4 + 0.8) / 3);
  near(blockMass(mapOf(), [0, 5], [0, 5], TOKENS), 1);
});

for (const [choice, least, largest] of [
  [["token", "shown", "all"], 1, 1],
  [["token", "shown", "ab"], 0, 0.2],
  [["token", "hidden", "all"], 0.5, 1],
  [["word", "hidden", "ab"], 0.15, 0.15],
  [["token", "renormalised", "all"], 1, 1],
]) {
  test(`rows of ${choice.join(", ")} sum to ${least} to ${largest}`, () => near(rangeOfSums(mapOf(...choice)), [least, largest]));
}

test("weights are sorted with their cumulative sums; ties stay in the order of the text", () => {
  const rows = sortByWeight([0.1, 0.5, 0.1, 9, 0.3], [0, 1, 2, 4]);
  assert.deepEqual(rows.map(({ unit }) => unit), [1, 4, 0, 2]);
  near(rows.map(({ mass }) => mass), [0.5, 0.8, 0.9, 1]);
  const holding = (rows) => [0.5, 0.51, 0.8, 1].map((share) => countHolding(rows, share));
  assert.deepEqual(holding(rows), [1, 2, 2, 4]);
  assert.deepEqual(holding(rows.map((row) => ({ ...row, mass: row.mass / 1000 }))), [1, 2, 2, 4], "a share of the total");
  assert.equal(countHolding([], 0.8), 0);
});

test("the mean of heads in fixed point, where 65,535 steps are the unit", () => {
  const heads = [Uint16Array.of(65535, 0), Uint16Array.of(13107, 52428)];
  near(meanWeights(heads), [0.6, 0.4]);
  near(meanWeights(heads.slice(1), 5), [1, 4]);
});

test("a rectangle of two queries and three keys, of which the first two are a word", () => {
  const side = (tokens, words) => (
    { tokens, words, labels: [], groups: Array(tokens).fill(0), segments: [], wordLabels: [] });
  const sides = unitsOfSides({ sides: { query: side(2, [0, 1]), key: side(3, [0, 0, 1]) }, kind: "cross" }, "word");
  const map = attentionMap(Float32Array.of(0.1, 0.2, 0.7, 0.5, 0.1, 0.4), sides, "shown", "all");
  near(map.weights, [0.3, 0.7, 0.6, 0.4]);
  near(weightsOfUnit(map, 1, "from", sides), [0.6, 0.4]);
  near(weightsOfUnit(map, 1, "to", sides), [0.7, 0.4]);
  near(receivedWeights(map, sides), [0.45, 0.55]);
  near(blockMass(map, [0, 1], [0, 0], sides), 0.45);
});

test("under uniform causal attention the first keys receive most", () => {
  // Of three queries the first key receives 1 + 1/2 + 1/3, the second 1/2 + 1/3, the third 1/3; of 3 in all.
  const map = { queries: [0, 1, 2], keys: [0, 1, 2], reach: [1, 2, 3] };
  near(uniformCurve(map, { query: { size: [1, 1, 1] } }), [11 / 18, 16 / 18, 1]);
});
