import assert from "node:assert/strict";
import { test } from "node:test";
import { points, shortDecimals, signedDecimals } from "../../../../viz_core/explorer/source/whatif/numbers.js";

for (const [difference, text] of [[-0.331, "−33.1"], [0.02, "+2.0"], [0, "±0.0"], [-0.0001, "±0.0"]]) {
  test(`${difference} is ${text} points`, () => assert.equal(points(difference), text));
}

for (const [difference, long, short] of [[-0.1, "−0.100", "−.10"], [0.0004, "±0.000", "0"], [-1.25, "−1.250", "−1.25"]]) {
  test(`a similarity that changed by ${difference} is ${long}, in short ${short}`, () => {
    assert.deepEqual([signedDecimals(difference), shortDecimals(difference)], [long, short]);
  });
}
