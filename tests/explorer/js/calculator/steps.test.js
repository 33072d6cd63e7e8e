// The arithmetic of the calculator, worked out by hand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EXAMPLES } from "../../../../viz_core/explorer/source/calculator/examples.js";
import { compute, shiftOf } from "../../../../viz_core/explorer/source/calculator/steps.js";
import { near } from "../near.js";
import { BY_HAND, CAUSAL, CROSS } from "./by_hand.js";

const valuesOf = (exercise) => Object.fromEntries([...compute(exercise)].map(([id, { values }]) => [id, values]));
const { E } = Math;

test("self-attention", () => {
  const { q1, k1, v1, t1, s1, z1, e1, u1, a1, o1 } = valuesOf(BY_HAND);
  assert.deepEqual(q1, [[2, 0, 0, 0], [0, 0, 0, 0], [2, 0, 0, 0]]);
  assert.deepEqual(k1, [[1, 0, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 0]]);
  assert.deepEqual(v1, [[3, 0, 0, 0], [0, 6, 0, 0], [3, 6, 0, 0]]);
  assert.deepEqual(t1, [[1, -1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]);
  assert.deepEqual(s1, [[2, -2, 0], [0, 0, 0], [2, -2, 0]]);
  assert.deepEqual(z1, [[1, -1, 0], [0, 0, 0], [1, -1, 0]]);
  const sum = E + 1 / E + 1;
  near(e1, [[E, 1 / E, 1], [1, 1, 1], [E, 1 / E, 1]]);
  near(u1, [[sum], [3], [sum]]);
  near(a1, [[E / sum, 1 / E / sum, 1 / sum], [1 / 3, 1 / 3, 1 / 3], [E / sum, 1 / E / sum, 1 / sum]]);
  near(o1[1], [2, 4, 0, 0]); // the mean of the values
});

test("under a causal mask the first token attends only to itself", () => {
  const { m1, a1, o1 } = valuesOf(CAUSAL);
  assert.deepEqual(m1, [[1, -Infinity, -Infinity], [0, 0, -Infinity], [1, -1, 0]]);
  near(a1.slice(0, 2), [[1, 0, 0], [0.5, 0.5, 0]]);
  near(o1.slice(0, 2), [[3, 0, 0, 0], [1.5, 3, 0, 0]]);
});

test("cross-attention of two heads, joined and projected", () => {
  const { s1, z2, a1, a2, o1, o2, c, r } = valuesOf(CROSS), { LN2: ln } = Math;
  assert.deepEqual(s1, [[0, 0, 0], [0, 0, 0]]);
  near(z2, [[ln, 0, 2 * ln], [0, 0, 0]]); // exponentials 2, 1, 4
  near(a1, [[1 / 3, 1 / 3, 1 / 3], [1 / 3, 1 / 3, 1 / 3]]);
  near(a2, [[2 / 7, 1 / 7, 4 / 7], [1 / 3, 1 / 3, 1 / 3]]);
  near([o1, o2], [[[1, 3], [1, 3]], [[10, 27], [7, 21]]]);
  near(c, [[1, 3, 10, 27], [1, 3, 7, 21]]);
  near(r, [[28, 13], [22, 10]]);
});

test("the largest score is subtracted where it is unwieldy", () => {
  assert.deepEqual([[3, 1], [10, -9], [12, 11], [-20, -30]].map(shiftOf), [0, 0, 12, -20]);
  const numbers = { ...BY_HAND.numbers, x: [[100, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]] };
  const { z1, e1, a1 } = valuesOf({ ...BY_HAND, numbers });
  assert.deepEqual(z1[0], [10000, -100, 0]);
  near([e1[0], a1[0]], [[1, 0, 0], [1, 0, 0]]);
});

for (const [name, exercise] of Object.entries(EXAMPLES)) {
  test(`the example ${name} has integer scores, and weights that differ`, () => {
    const values = valuesOf(exercise);
    for (let head = 1; head <= exercise.heads; head++) {
      const scores = values[`s${head}`].flat(), weights = values[`a${head}`].flat();
      assert.ok(scores.every((score) => Number.isInteger(score) && Math.abs(score) <= 12));
      assert.ok(Math.max(...weights) - Math.min(...weights) > 0.3);
    }
  });
}
