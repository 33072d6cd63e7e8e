// What is known of a language model's text grows with every frame.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY, firstDifference, grow, summarise } from "../../../../viz_core/explorer/source/generation/result.js";

test("a result grows with every frame, and the candidates stay until there are others", () => {
  const read = { labels: ["a", "b"], starts: [0, 1], special: ["a"], steps: [null, { token: "b" }], notices: ["n"] }, step = { token: "c" };
  const frames = [{ read }, { step, special: ["c"] }, { next: [{ id: 1 }], special: ["</s>"], notice: "full", labels: ["a", "b", "字"], written: "字" }, { end: true }];
  const results = frames.map((_, index) => frames.slice(0, index + 1).reduce(grow, { ...EMPTY, next: [{ id: 9 }] }));
  assert.deepEqual(results[0], { ...EMPTY, ...read, next: [{ id: 9 }] });
  assert.deepEqual(results[1], { ...results[0], labels: ["a", "b", "c"], steps: [null, { token: "b" }, step], special: ["a", "c"] });
  assert.deepEqual(results[2], { ...results[1], next: [{ id: 1 }], special: ["a", "c", "</s>"], notice: "full",
    labels: ["a", "b", "字"], answer: "字" });
  assert.deepEqual(results[3], { ...results[2], done: true });
});

const given = [null, { id: 1, log_probability: -9 }];
const written = (...steps) => ({ ...EMPTY, starts: [0, 1], steps: [...given, ...steps.map(([id, log_probability]) => ({ id, log_probability }))] });

test("of the written tokens, not of the text, the log-probabilities are added up: half and an eighth", () => {
  const { count, logProbability, perplexity } = summarise(written([5, -Math.log(2)], [6, -Math.log(8)]));
  assert.deepEqual([count, logProbability.toFixed(6), perplexity.toFixed(6)], [2, (-4 * Math.log(2)).toFixed(6), "4.000000"]);
  const impossible = summarise(written([5, -1], [6, null]));
  assert.deepEqual([impossible.logProbability, impossible.perplexity], [-Infinity, Infinity]);
});

for (const [name, first, second, position] of [
  ["nowhere", [[5], [6]], [[5], [6]], -1], ["at the second token", [[5], [6]], [[5], [7]], 3],
  ["where the shorter ends", [[5]], [[5], [6]], 3], ["where the shorter, kept, ends", [[5], [6]], [[5]], 3],
]) {
  test(`two continuations differ ${name}`, () => assert.equal(firstDifference(written(...first), written(...second)), position));
}
