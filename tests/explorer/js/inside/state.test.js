// What a visitor has set.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isChanged, NONE, tidy, toggleKey, toLink, withScore } from "../../../../viz_core/explorer/source/inside/state.js";

test("changes are kept only where they change something", () => {
  assert.deepEqual(tidy({ temperature: 1, values: 1, masked: [], causal: false, everywhere: true }), NONE);
  const all = { unscaled: true, temperature: 2, scores: [[0, 1, 2]], masked: [3], causal: true, values: 0, everywhere: true };
  assert.deepEqual(tidy(all), all);
  const score = withScore(withScore(NONE, 0, 1, 2), 0, 1, 3);
  assert.deepEqual([score, withScore(score, 0, 1, null)], [{ scores: [[0, 1, 3]] }, NONE]);
  assert.deepEqual(withScore(withScore(score, 0, 2, 4), 2, 1, 5), { scores: [[0, 1, 3], [0, 2, 4], [2, 1, 5]] });
  assert.deepEqual([toggleKey(NONE, 2), toggleKey(toggleKey(NONE, 2), 2)], [{ masked: [2] }, NONE]);
  assert.deepEqual([isChanged(NONE), isChanged(score)], [false, true]);
});

test("a link counts from 1 and leaves the first step out", () => {
  const state = { step: "model", kind: "self", layer: 1, head: 0, query: 3, key: 0, changes: {} };
  assert.deepEqual(toLink(state), { step: "", kind: "self", head: "2.1", query: "4", key: "1", changes: {} });
});
