// Units in the map.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hoveredCell, indexRange, sideOf } from "../../../../viz_core/explorer/source/explorer/cells.js";

test("special tokens belong to no text", () => assert.deepEqual([-1, 0, 1].map(sideOf), ["", "A", "B"]));

test("a range of tokens is the rows that are shown of it", () => {
  const units = { of: [0, 1, 1, 2, 3] };
  assert.deepEqual(indexRange([1, 4], units, [-1, 0, 1, 2]), [0, 2]);
  assert.deepEqual(indexRange([0, 3], units, [-1, 0, 1, -1]), [0, 1], "what is left out at its ends");
  assert.equal(indexRange([0, 0], units, [-1, 0, 1, 2]), null);
});

test("hovering over a token refers to its cell with the selected token", () => {
  const hovered = (token, over, unit) => hoveredCell({ map: { rowOf: [-1, 0, 1], columnOf: [-1, 0, 1] }, token, over }, unit);
  assert.deepEqual(hovered(1, "key", 2), { query: 1, key: 2 });
  assert.deepEqual(hovered(1, "query", 2), { query: 2, key: 1 });
  assert.equal(hovered(1, "key", 0), null, "left out");
  assert.equal(hovered(null, "key", 2), null);
});
