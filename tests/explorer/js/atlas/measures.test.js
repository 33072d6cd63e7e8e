// How statistics are written, placed along an axis, and named above their dots.

import assert from "node:assert/strict";
import test from "node:test";

import { centreOf, collide, fitting } from "../../../../viz_core/explorer/source/atlas/labels.js";
import { rangeOf, ticksOf, write } from "../../../../viz_core/explorer/source/atlas/measures.js";

test("values are shares, tokens or signed changes", () => {
  assert.deepEqual([write("share", 0.475), write("share", 0.475, 1), write("tokens", 12)], ["48%", "47.5%", "12.0"]);
  assert.deepEqual([0.02, -0.01, 0.00001].map((value) => write("change", value)), ["+0.0200", "−0.0100", "0.0000"]);
});

test("an axis has a margin, is never far below 0, and never finer than five percent", () => {
  const [low, high] = rangeOf([0, 1]);
  assert.ok(low < 0 && low > -0.1 && high > 1);
  const [from, to] = rangeOf([0.5, 0.501]);
  assert.ok(Math.abs(to - from - 0.05) < 1e-9);
});

test("ticks are round, few and within the range", () => {
  assert.deepEqual(ticksOf([-0.04, 1.04]).map((tick) => tick.toFixed(1)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
  assert.deepEqual(ticksOf([0, 12]), [0, 2, 4, 6, 8, 10, 12].filter((tick, _, all) => all.length <= 7 && tick <= 12));
});

test("a name stays within the plot", () => {
  assert.deepEqual([5, 60, 115].map((x) => centreOf(x, "对对", 10, 120)), [10, 60, 110]);
});

test("names cover neither each other nor a dot, and those asked for come first", () => {
  const places = [[100, 50], [101, 50], [102, 50], [300, 50], [300, 40]], names = ["1.1", "1.2", "1.3", "1.4", "1.5"];
  assert.deepEqual([...fitting(names, places, 12, [], 400)], [0, 4]);
  assert.deepEqual([...fitting(names, places, 12, [2], 400)], [2, 4]);
});

test("a name that would cover a label that is drawn anyway is left out, also one that is asked for", () => {
  const places = [[100, 50], [160, 50], [100, 90]], names = ["1.1", "1.2", "1.3"];
  const taken = [{ x: 120, y: 55, width: 50 }];
  assert.deepEqual([...fitting(names, places, 12, [], 400)], [0, 1, 2]);
  assert.deepEqual([...fitting(names, places, 12, [0], 400, taken)], [1, 2]);
  assert.deepEqual([100, 160].map((x) => collide(taken[0], { x, y: 50, width: 20 }, 12)), [true, false]);
});
