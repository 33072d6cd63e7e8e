import assert from "node:assert/strict";
import { test } from "node:test";

import { weightsOf } from "../../../../viz_core/explorer/source/inside/widths.js";

const largest = (d, isDivided) => Math.max(...weightsOf(d, isDivided));

test("without the division the largest weight of eight keys grows with the width, with it it stays", () => {
  // Of keys at ±1.534, ±0.887, ±0.489 and ±0.157 times √d, or at these.
  assert.deepEqual([4, 16, 64, 256].map((d) => largest(d, false).toFixed(2)), ["0.66", "0.91", "0.99", "1.00"]);
  assert.deepEqual([4, 16, 64, 256].map((d) => largest(d, true).toFixed(2)), ["0.39", "0.39", "0.39", "0.39"]);
});

test("weights are shares, in the order of the scores", () => {
  for (const isDivided of [true, false]) {
    const weights = weightsOf(16, isDivided);
    assert.ok(Math.abs(weights.reduce((sum, weight) => sum + weight) - 1) < 1e-12);
    assert.deepEqual([...weights].sort((a, b) => a - b), weights);
  }
});
