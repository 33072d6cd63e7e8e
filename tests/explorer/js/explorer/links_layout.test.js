// Which links are drawn.

import assert from "node:assert/strict";
import { test } from "node:test";
import { linksOf, strongestLinks } from "../../../../viz_core/explorer/source/explorer/links_layout.js";

test("the strongest keys of each query; ties in order, and none without weight", () => {
  const map = { queries: [0, 1, 2], keys: [0, 1, 2, 3], weights: [0.1, 0.4, 0.2, 0.3, 0, 0, 0, 0, 0.25, 0.5, 0.25, 0] };
  assert.deepEqual([...strongestLinks(map, 2)], [1, 3, -1, -1, 1, 0]);
  assert.deepEqual([...strongestLinks(map, 4)], [1, 3, 2, 0, -1, -1, -1, -1, 1, 0, 2, -1]);
});

test("the strongest of many random weights are those that sorting gives", () => {
  let seed = 5;
  const tokens = Array.from({ length: 60 }, (_, token) => token);
  const weights = Float32Array.from({ length: 3600 }, () => (seed = (seed * 16807) % 2147483647) % 100); // with ties
  const expected = tokens.flatMap((row) => {
    const ofRow = weights.subarray(60 * row, 60 * row + 60);
    return [...tokens].sort((a, b) => ofRow[b] - ofRow[a]).slice(0, 3);
  });
  assert.deepEqual([...strongestLinks({ weights, queries: tokens, keys: tokens }, 3)], expected);
});

test("the links of a token are sorted by weight; faint ones and those of tokens left out are not drawn", () => {
  const indices = [-1, -1, -1, -1, 0, 1, 2];
  const map = { weights: [0.7, 0.3, 0, 0.1, 0.9, 0, 0.001, 0.5, 0.499], queries: [4, 5, 6], keys: [4, 5, 6],
    rowOf: indices, columnOf: indices };
  const links = (side, unit) => linksOf(map, { side, unit }).map(({ row, column, weight }) => [row, column, weight]);
  assert.deepEqual(links("query", 4), [[0, 0, 0.7], [0, 1, 0.3]]);
  assert.deepEqual(links("key", 4), [[0, 0, 0.7], [1, 0, 0.1]]);
  assert.deepEqual(links("key", 0), []);
});

test("the links of a rectangle", () => {
  const map = { queries: [0, 1], keys: [0, 1, 2], rowOf: [0, 1], columnOf: [0, 1, 2], weights: [0.1, 0.6, 0.3, 0.8, 0, 0.2] };
  assert.deepEqual([...strongestLinks(map, 2)], [1, 2, 0, 2]);
  assert.deepEqual(linksOf(map, { side: "key", unit: 2 }).map(({ row, column }) => [row, column]), [[0, 2], [1, 2]]);
});
