// Differences to a reference by hand; tests/explorer/test_comparison.py compares them with the server's.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  differenceMap, differenceOfUnits, sizesOf,
} from "../../../../../viz_core/explorer/source/explorer/comparison/difference.js";

const mapOf = (weights, units, indexOf = units) => (
  { weights: Float32Array.from(weights), queries: units, keys: units, rowOf: indexOf, columnOf: indexOf });

test("cells that both maps have are subtracted; others are not compared", () => {
  const current = mapOf([0.5, 0.25, 0.25, 0, 1, 0, 0.5, 0, 0.5], [0, 1, 2]), reference = mapOf([0.25, 0.75, 1, 0], [0, 1]);
  const { weights, largest, mean, cells } = differenceMap(current, reference, { referenceOf: [1, -1, 0] });
  assert.deepEqual([...weights], [0.5, NaN, -0.75, NaN, NaN, NaN, -0.25, NaN, 0.25]);
  assert.deepEqual({ largest, mean, cells }, { largest: 0.75, mean: 0.4375, cells: 4 });
});

test("what the reference leaves out is not compared", () => {
  const { cells, mean } = differenceMap(mapOf([0.5, 0.5, 0, 1], [0, 1]), mapOf([1], [1], [-1, 0]), { referenceOf: [0, 1] });
  assert.deepEqual({ cells, mean }, { cells: 1, mean: 0 });
});

test("a map differs from itself by nothing, and from one without common units by no cell", () => {
  const map = mapOf([0.5, 0.5, 0.25, 0.75], [0, 1]), none = { largest: 0, mean: 0 };
  for (const [referenceOf, cells] of [[[0, 1], 4], [[-1, -1], 0]]) {
    const { largest, mean, cells: counted } = differenceMap(map, map, { referenceOf });
    assert.deepEqual({ largest, mean, cells: counted }, { ...none, cells });
  }
});

test("differences by unit", () => {
  assert.deepEqual([...differenceOfUnits([0.5, 0.25, 1], [0.25, 0.75], { referenceOf: [1, -1, 0] })], [-0.25, NaN, 0.75]);
});

test("the sizes of a difference: of all cells, of stronger and of weaker ones", () => {
  const sizes = sizesOf({ weights: Float32Array.of(0.5, -0.25, NaN, 0), largest: 0.5 });
  assert.deepEqual(Object.entries(sizes).map(([side, { weights, largest }]) => [side, largest, ...weights]),
    [["all", 0.5, 0.5, 0.25, 0, 0], ["stronger", 0.5, 0.5, 0, 0, 0], ["weaker", 0.5, 0, 0.25, 0, 0]]);
});
