// What is known of a translation grows with every frame.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY, grow, leastSure, pathTo, takeBack } from "../../../../viz_core/explorer/source/translation/result.js";

const growAll = (frames, start = EMPTY) => frames.reduce((result, json) => grow(result, { json }), start);

test("a result grows with every frame", () => {
  const step = { token: "we", probability: 0.5 };
  const result = growAll([
    { source: { labels: [] }, notices: ["a"] }, { step },
    { translation: { steps: [step, step], notices: ["b"], complete: false, text: "we we" } }, { end: true },
  ]);
  assert.deepEqual(result, { ...EMPTY, source: { labels: [] }, steps: [step, step], notices: ["a", "b"], done: true,
    complete: false, text: "we we" });
});

// Of two hypotheses, the likelier comes first at every depth, and the likeliest of three words goes on after the other.
const node = (parent, token, depth) => ({ parent, token, depth });
const TREE = [[node(-1, "we", 1), node(-1, "I", 1)], [node(0, "go", 2), node(1, "am", 2)],
  [node(3, "going", 3), node(2, "to", 3)]];

test("while a beam search is under way, its likeliest sequence is shown, and it can be taken back", () => {
  const shown = [1, 2, 3].map((depth) => growAll(TREE.slice(0, depth).map((nodes) => ({ nodes }))));
  const tokens = shown.map(({ steps }) => steps.map(({ token }) => token));
  assert.deepEqual(tokens, [["we"], ["we", "go"], ["I", "am", "going"]]);
  assert.deepEqual(takeBack(shown[2], 2), { ...shown[1], done: false });
  assert.deepEqual(pathTo(TREE.flat(), 4), [1, 3, 4]);
});

test("the position of which the model is least sure", () => {
  assert.equal(leastSure([0.5, 0.2, 0.9, 0.2].map((probability) => ({ probability }))), 1);
});
