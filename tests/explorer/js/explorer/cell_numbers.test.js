// The numbers in the cells of a heat map, in a font whose characters are all 6 px wide and 12 px high: 0.46 takes 24 px,
// .46 takes 18, and 3 px remain free on either side.

import assert from "node:assert/strict";
import { test } from "node:test";
import { numberFormat } from "../../../../viz_core/explorer/source/explorer/cell_numbers.js";

for (const [cell, largest, weights, texts, isSigned = false] of [
  [30, 0.9, [0.456, 1, 0.0449], ["0.46", "1.00", "0.04"]],
  [29, 0.9, [0.456, 1, 0.997], [".46", "1.0", "1.0"]],
  [23, 0.9, [0.456], null],
  [36, 0.2, [0.1234], ["0.123"]],
  [30, 0.2, [0.1234], [".123"]],
  [24, 0.2, [0.1234], [".12"]],
  [23, 0.2, [0.1234], null],
  [24, 0.05, [0.05], null], // two decimals would not tell such weights apart
  [42, 0.01, [0.00123], ["0.0012"]],
  [36, 12.6, [12.345, 0.456], ["12.35", "0.46"]], // norms may have several digits before the point
  [30, 12.6, [12.345, 0.456], ["12.3", "0.5"]],
  [29, 12.6, [12.345], null],
  [36, 0.9, [0.456, -0.456, 0], ["+0.46", "−0.46", "+0.00"], true],
  [30, 0.9, [0.456, -0.456], ["+.46", "−.46"], true],
  [29, 0.9, [0.456], null, true],
]) {
  test(`${isSigned ? "changes" : "weights"} up to ${largest} in cells of ${cell} px: ${texts}`, () => {
    const write = numberFormat((text) => 6 * text.length, cell, 12, largest, isSigned);
    assert.deepEqual(write && weights.map(write), texts);
  });
}
