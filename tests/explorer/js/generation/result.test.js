// What is known of a language model's text grows with every frame.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY, grow } from "../../../../viz_core/explorer/source/generation/result.js";

test("a result grows with every frame, and the candidates stay until there are others", () => {
  const read = { labels: ["a", "b"], starts: [0, 1], special: ["a"], steps: [null, { token: "b" }], notices: ["n"] }, step = { token: "c" };
  const frames = [{ read }, { step, special: ["c"] }, { next: [{ id: 1 }], special: ["</s>"], notice: "full" }, { end: true }];
  const results = frames.map((_, index) => frames.slice(0, index + 1).reduce(grow, { ...EMPTY, next: [{ id: 9 }] }));
  assert.deepEqual(results[0], { ...EMPTY, ...read, next: [{ id: 9 }] });
  assert.deepEqual(results[1], { ...results[0], labels: ["a", "b", "c"], steps: [null, { token: "b" }, step], special: ["a", "c"] });
  assert.deepEqual(results[2], { ...results[1], next: [{ id: 1 }], special: ["a", "c", "</s>"], notice: "full" });
  assert.deepEqual(results[3], { ...results[2], done: true });
});
