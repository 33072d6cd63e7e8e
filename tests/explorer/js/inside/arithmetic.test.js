// The arithmetic of a head by hand; tests/explorer/test_inside_arithmetic.py compares it with models.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ACTIVATIONS, entropy, exponentials, layerNorm, moments, multiply, pairOf, softmax, weighKeys,
} from "../../../../viz_core/explorer/source/inside/arithmetic.js";
import { shownPairs } from "../../../../viz_core/explorer/source/inside/pairs.js";
import { near } from "../near.js";

test("layer normalisation", () => { // of mean 3 and variance 14/3
  const x = [1, 2, 6], gamma = [1, 2, 0.5], beta = [0, 1, -1];
  for (const [epsilon, deviation] of [[0, Math.sqrt(14 / 3)], [13 / 3, 3]]) {
    near(layerNorm(x, gamma, beta, epsilon), [-2 / deviation, 1 - 2 / deviation, 1.5 / deviation - 1]);
  }
});

test("RMS norm subtracts no mean", () => { // of mean square 41/3
  const { mean, deviation } = moments([1, 2, 6], 0, false), scale = Math.sqrt(41 / 3);
  near([mean, deviation], [0, scale]);
  near(layerNorm([1, 2, 6], [1, 2, 0.5], [0, 0, 0], 0, false), [1 / scale, 4 / scale, 3 / scale]);
});

test("activations of 0 and 1", () => {
  for (const activate of Object.values(ACTIVATIONS)) near([activate(0)], [0]);
  near([ACTIVATIONS.silu(1), ACTIVATIONS.relu(-1), ACTIVATIONS.gelu(1)], [1 / (1 + Math.exp(-1)), 0, 0.8413447]);
});

test("a dimension and the one as much further on as there are pairs are a pair, and those drawn are ever slower", () => {
  assert.deepEqual(pairOf(Float32Array.of(1, 2, 3, 4), 1, 2), [2, 4]);
  assert.deepEqual(pairOf(Float32Array.of(1, 2, 3, 4), 0, 1), [1, 2]);
  assert.deepEqual([1, 4, 32, 40].map(shownPairs), [[0], [0, 1, 3], [0, 1, 3, 7, 15, 31], [0, 1, 3, 7, 15, 31]]);
});

for (const [weights, keys, expected] of [
  [[0.25, 0.25, 0.25, 0.25], 4, 1], [[1, 0, 0], undefined, 0], [[0.5, 0.5, 0, 0], 4, 0.5], [[1], 1, 0], [[0.5, 0.5, 0], 2, 1],
]) {
  test(`the entropy of ${weights} over ${keys ?? "all"} keys is ${expected}`, () => near(entropy(weights, keys), expected));
}

test("the largest scores do not overflow, and where nothing can be attended to there is no weight", () => {
  assert.deepEqual(softmax([1000, 1000, -Infinity]), [0.5, 0.5, 0]);
  assert.deepEqual(softmax([-Infinity, -Infinity]), [0, 0]);
});

test("a vector times a matrix", () => near(multiply([1, 2, 3, 4], [5, 6], [0, 1]), [17, 40]));

test("an edited score is of its own query only", () => {
  const { scaled } = weighKeys([2, 4], { divisor: 4, query: 1 }, { scores: [[0, 0, 9], [1, 1, 7]] });
  near(scaled, [1, 7]);
});

test("a cap bounds scores after the division and before the bias, and a window has the last keys alone", () => {
  const head = { divisor: 4, query: 2, cap: 2, slidingWindow: 2, causal: true, bias: [1, 1, 1, 1] };
  const { divided, capped, masked, visible } = weighKeys([40, -40, 2, 0], head);
  near(divided, [20, -20, 1, 0]);
  near(capped, [2, -2, 2 * Math.tanh(0.5), 0]);
  assert.deepEqual(visible, [false, true, true, false]);
  near([...masked.slice(1, 3)], [-1, 1 + 2 * Math.tanh(0.5)]);
});

test("exponentials are those of a pocket calculator as far as it has them", () => {
  near(exponentials([0.5, -2]).powers, [1.6487213, 0.1353353]);
  near(exponentials([0.5, -2]).sum, 1.7840566);
  for (const values of [[800, 799], [-800, -801]]) near(exponentials(values).powers, [1, 0.3678794]);
  assert.deepEqual([[0.5, -2], [800, 799], [-800, -801]].map((values) => exponentials(values).isShifted), [false, true, true]);
});
