import assert from "node:assert/strict";
import { test } from "node:test";
import { count, number, term } from "../../../../viz_core/explorer/source/inside/numbers.js";

for (const [value, text] of [
  [0, "0.000"], [-1, "−1.00"], [1e5, "1.0·10⁵"], [-0.1234, "−0.123"], [1.236, "1.24"], [-12.34, "−12.3"], [1234.4, "1234"], [3.2e-6, "3·10⁻⁶"], [-4.9e-4, "−5·10⁻⁴"],
  [Math.exp(100), "2.7·10⁴³"], [-Infinity, "−∞"],
]) {
  test(`${value} is ${text}`, () => assert.equal(number(value), text));
}

test("negative terms of a sum are in brackets, and large counts have commas", () => {
  assert.deepEqual([-0.5, 0.5].map(term), ["(−0.500)", "0.500"]);
  assert.deepEqual([7, 999, 1234, 1234567].map(count), ["7", "999", "1,234", "1,234,567"]);
});
