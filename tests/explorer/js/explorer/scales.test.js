// Positions of weights along a colour scale; tests/explorer/test_colours.py compares them with those of the figures.

import assert from "node:assert/strict";
import { test } from "node:test";
import { darkestOf, halves, palette, share, signedShare, ticks } from "../../../../viz_core/explorer/source/explorer/scales.js";
import { colourAt } from "../../../../viz_core/explorer/source/shared/colours.js";
import { near } from "../near.js";

for (const [scale, weight, largest, position] of [
  ["linear", 0.09, 0.36, 0.25],
  ["sqrt", 0.09, 1, 0.3],
  ["sqrt", 0.09, 0.36, 0.5],
  ["log", 0, 1, 0],
  ["log", 0.001, 0.007, 1 / 3], // ln 2 of ln 8
  ["log", 0.003, 0.007, 2 / 3],
]) {
  test(`${weight} of ${largest} is at ${position} of a ${scale} scale`, () => {
    near(share(weight, largest, scale), position);
    near(signedShare(-weight, largest, scale), 0.5 - position / 2);
  });
}

test("diverging colours are two scales from the middle", () => {
  assert.deepEqual(halves(["a", "b", "c", "d", "e"]), [["c", "b", "a"], ["c", "d", "e"]]);
});

const LIGHT = ["#ffffff", "#9ecae1", "#08306b"], DARK = ["#0e1117", "#31688e", "#fde725"];
const channels = (pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];

test("a palette has the colour of each step of weight", () => {
  const pixels = palette(LIGHT, "sqrt", 0.5);
  for (const step of [0, 1, 655, 16384, 65535]) {
    const colour = colourAt(LIGHT, share((step / 65535) * 0.5, 0.5, "sqrt"));
    near(channels(pixels[step]), colour.match(/\d+/g).map(Number), `step ${step}`, 2);
  }
});

test("palettes of other colours and scales differ", () => {
  assert.deepEqual([LIGHT, DARK].map((stops) => palette(stops, "linear", 1)[0]), [0xffffffff, 0xff17110e]);
  const middles = [palette(LIGHT, "linear", 1), palette(LIGHT, "sqrt", 1), palette(LIGHT, "log", 1), palette(LIGHT, "log", 0.01)];
  assert.equal(new Set(middles.map((pixels) => pixels[16384])).size, 4);
});

test("the darkest colour is weight 1, in long texts 16 times the weight of a uniform head", () => {
  const input = { peaks: [[0.5, 0.25], [0.125, 0.0625]] };
  const darkest = (limit, tokens, measure) => darkestOf({ limit }, { ...input, measure }, tokens, 0.25);
  assert.deepEqual([darkest("full", 7), darkest("full", 16), darkest("full", 64), darkest("own", 64)], [1, 1, 0.25, 0.25]);
  assert.deepEqual([darkest("full", 7, "norms"), darkest("own", 7, "norms")], [0.5, 0.25], "norms have no such end");
});

test("what is larger than the darkest has its colour, too", () => {
  assert.deepEqual([share(0.5, 0.25, "linear"), share(2, 1, "sqrt")], [1, 1]);
});

test("a legend has round numbers, well apart", () => {
  near(ticks(1, "linear"), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  near(ticks(0.3166, "linear"), [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3166]);
  near(ticks(1, "sqrt"), [0, 0.02, 0.1, 0.2, 0.5, 1]); // as in tests/rendering/test_scales.py
});
