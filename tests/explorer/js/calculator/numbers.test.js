// Numbers as they are typed and shown.

import assert from "node:assert/strict";
import { test } from "node:test";
import { format, isExact, parseNumber } from "../../../../viz_core/explorer/source/calculator/numbers.js";

for (const [number, text, decimals = 2] of [
  [1, "1"], [0.5, "0.5"], [0.125, "0.13"], [1 / 3, "0.33"], [0.999, "1.00"], [-1.5, "−1.5"], [-0.001, "0.00"], [0.1 + 0.2, "0.3"],
  [2, "2", 4], [123456, "1.2e5"], [-Infinity, "−∞"],
]) {
  test(`${number} with ${decimals} decimals is ${text}`, () => assert.equal(format(number, decimals), text));
}

test("a number is exact if all its decimals are shown", () => {
  const numbers = [1, 0.25, 0.125, 1 / 3, -2.5, 1e6, -Infinity];
  assert.deepEqual(numbers.map((number) => isExact(number, 2)), [true, true, false, false, true, false, true]);
});

for (const [text, value] of [
  ["2", 2], [" −1.5 ", -1.5], ["+3", 3], [".5", 0.5], ["２", 2], ["-0", 0], ["100", 100],
]) {
  test(`“${text}” is typed for ${value}`, () => assert.deepEqual(parseNumber(text), { value }));
}

for (const [text, problem] of [
  ["", "empty"], ["two", "not_a_number"], ["1/2", "not_a_number"], ["1e3", "not_a_number"],
  ["101", "too_large"], ["0.1234", "too_fine"],
]) {
  test(`“${text}” is ${problem}`, () => assert.deepEqual(parseNumber(text), { problem }));
}
