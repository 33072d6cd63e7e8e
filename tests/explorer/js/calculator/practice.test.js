// Answers that a student types: which are right, and what is blank meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";
import { countRight, createAsking, isRight, placeKey } from "../../../../viz_core/explorer/source/calculator/practice.js";
import { compute } from "../../../../viz_core/explorer/source/calculator/steps.js";
import { BY_HAND, CAUSAL } from "./by_hand.js";

for (const [typed, value, decimals, right] of [
  ["3", 3, 2, true], [" 3.0 ", 3, 2, true], ["３", 3, 2, true], ["3.01", 3, 2, false], ["", 0, 2, false], ["three", 3, 2, false],
  ["-2", -2, 2, true], ["−2", -2, 2, true], ["2", -2, 2, false],
  ["0.33", 1 / 3, 2, true], ["0.34", 1 / 3, 2, true], ["0,33", 1 / 3, 2, true], ["1/3", 1 / 3, 2, true], [".333", 1 / 3, 2, true],
  ["0.35", 1 / 3, 2, false], ["0.3", 1 / 3, 2, false], ["0.3", 1 / 3, 1, true], ["0.333", 1 / 3, 4, false],
  ["1/0", 3, 2, false], ["22026.47", Math.exp(10), 2, true], ["2.2e4", Math.exp(10), 2, false],
  ["-inf", -Infinity, 2, true], ["−∞", -Infinity, 2, true], ["-1000", -Infinity, 2, false], ["-inf", 0, 2, false],
]) {
  test(`"${typed}" is ${right ? "" : "not "}${value} with ${decimals} decimals`, () => assert.equal(isRight(typed, value, decimals), right));
}

const calculation = (exercise) => ({ exercise, blocks: compute(exercise), decimals: 2 });
const answer = (text, left) => ({ text, left });

test("what is wrong is marked once its cell is left, what is right at once", () => {
  const all = calculation(BY_HAND), block = all.blocks.get("s1"); // its first score is 2 · 1, the second 2 · (−1)
  const asks = createAsking(all, ["scores"], { [placeKey("s1", 0, 0)]: answer("2", false),
    [placeKey("s1", 0, 1)]: answer("2", false), [placeKey("s1", 0, 2)]: answer("5", true) });
  assert.deepEqual([0, 1, 2].map((column) => asks(block, 0, column).verdict), ["right", "", "wrong"]);
  assert.equal(asks(block, 1, 0).text, "");
  assert.equal(asks(all.blocks.get("q1"), 0, 0), null);
  assert.equal(asks(all.blocks.get("x"), 0, 0), null);
  assert.deepEqual(countRight(all, asks), { count: 9, right: 1 });
});

test("a number that only stands in another place is shown as soon as it is right there", () => {
  const all = calculation(BY_HAND), transposed = all.blocks.get("t1");
  const asks = (answers) => createAsking(all, ["projections"], answers)(transposed, 0, 1); // the first number of the second key
  assert.deepEqual(asks({}), { text: "", verdict: "", typed: false });
  assert.deepEqual(asks({ [placeKey("k1", 1, 0)]: answer("7", true) }), { text: "", verdict: "", typed: false });
  assert.equal(asks({ [placeKey("k1", 1, 0)]: answer("-1", false) }), null);
  assert.equal(countRight(all, createAsking(all, ["projections"], {})).count, 3 * 3 * 4); // Q, K and V of three tokens
});

test("the mask is an answer, too", () => {
  const all = calculation(CAUSAL), block = all.blocks.get("m1");
  const asks = createAsking(all, ["masked"], { [placeKey("m1", 0, 1)]: answer("-inf", false) });
  assert.equal(asks(block, 0, 1).verdict, "right");
});
