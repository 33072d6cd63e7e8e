// Units in the map.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hoveredCell, indexRange, isWeighed, sideOf } from "../../../../viz_core/explorer/source/explorer/cells.js";

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

test("in causal attention a token has no weight for later ones, and none of earlier ones", () => {
  const weighed = (token, over, isCausal = true) => [0, 1, 2].map((unit) => isWeighed({ token, over, sides: { isCausal } }, unit));
  assert.deepEqual(weighed(1, "key"), [true, true, false]);
  assert.deepEqual(weighed(1, "query"), [false, true, true]);
  assert.deepEqual([weighed(1, "key", false), weighed(null, "key")], [[true, true, true], [true, true, true]]);
});
