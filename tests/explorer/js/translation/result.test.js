// What is known of a translation grows with every frame.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY, grow, leastSure, pathTo, takeBack } from "../../../../viz_core/explorer/source/translation/result.js";

const growAll = (frames, start = EMPTY) => frames.reduce((result, json) => grow(result, { json }), start);

test("a result grows with every frame", () => {
  const step = { token: "we", probability: 0.5 };
  const result = growAll([
    { source: { labels: [] }, notices: ["a"] }, { step }, { leaves: [{ node: 1 }] }, { original: { text: "I" } }, { exposure: {} },
    { translation: { steps: [step, step], notices: ["b"], complete: false, text: "we we" } }, { end: true },
  ]);
  assert.deepEqual(result, { ...EMPTY, source: { labels: [] }, steps: [step, step], notices: ["a", "b"], done: true,
    complete: false, text: "we we", leaves: [{ node: 1 }], original: { text: "I" }, exposure: {} });
  assert.deepEqual(grow(result, { packed: [1] }), { ...result, packed: [1] });
});

// Of two hypotheses, the likelier comes first at every depth, and the likeliest of three words goes on after the other.
const node = (parent, token, depth) => ({ parent, token, depth });
const TREE = [[node(-1, "we", 1), node(-1, "I", 1)], [node(0, "go", 2), node(1, "am", 2)],
  [node(3, "going", 3), node(2, "to", 3)]];

test("while a beam search is under way, its likeliest sequence is shown, and it can be taken back", () => {
  const shown = [1, 2, 3].map((depth) => growAll(TREE.slice(0, depth).map((nodes) => ({ nodes }))));
  const tokens = shown.map(({ steps }) => steps.map(({ token }) => token));
  assert.deepEqual(tokens, [["we"], ["we", "go"], ["I", "am", "going"]]);
  assert.deepEqual(takeBack(shown[2], 2), shown[1]);
  assert.equal(takeBack(shown[2], 3), shown[2]);
  assert.deepEqual(pathTo(TREE.flat(), 4), [1, 3, 4]);
});

test("what is taken back of a finished search keeps the candidates of its words", () => {
  const steps = ["I", "am", "going"].map((token) => ({ token, candidates: [token] }));
  const result = { ...growAll(TREE.map((nodes) => ({ nodes }))), steps, leaves: [{ node: 4 }], done: true };
  const earlier = takeBack(result, 2); // when other words were likelier
  assert.deepEqual([earlier.steps.map(({ token }) => token), earlier.leaves, earlier.done], [["we", "go"], [], false]);
  const chain = steps.map(({ token }, index) => node(index - 1, token, index + 1)), same = takeBack({ ...result, nodes: chain }, 2);
  assert.deepEqual(same.steps, steps.slice(0, 2));
});

test("without a search, words are taken back one by one", () => {
  const steps = [{ token: "we" }, { token: "go" }];
  assert.deepEqual(takeBack({ ...EMPTY, steps, done: true }, 1), { ...EMPTY, steps: steps.slice(0, 1) });
});

test("the position of which the model is least sure", () => {
  assert.equal(leastSure([0.5, 0.2, 0.9, 0.2].map((probability) => ({ probability }))), 1);
});
