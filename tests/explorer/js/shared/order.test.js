import assert from "node:assert/strict";
import { test } from "node:test";
import { byWeight } from "../../../../viz_core/explorer/source/shared/order.js";

test("the largest weights come first; ties stay in the order of the text", () => {
  assert.deepEqual(byWeight([0.1, 0.3, 0.1, 0.5], [2, 1, 0, 3]), [3, 1, 0, 2]);
});
