import assert from "node:assert/strict";
import { test } from "node:test";
import { colourAt, inkAt } from "../../../../viz_core/explorer/source/shared/colours.js";

test("colours between equally spaced stops", () => {
  const stops = ["#000000", "#ff8000", "#ffffff"];
  assert.deepEqual([-1, 0, 0.25, 0.5, 0.75, 1, 2].map((position) => colourAt(stops, position)),
    ["rgb(0 0 0)", "rgb(0 0 0)", "rgb(128 64 0)", "rgb(255 128 0)", "rgb(255 192 128)", "rgb(255 255 255)", "rgb(255 255 255)"]);
});

test("ink is the more legible of black and white", () => {
  const inkOn = (colour) => inkAt([colour, colour], 0.5);
  for (const colour of ["#ffffff", "#777777", "#00ff00", "#ff0000"]) assert.equal(inkOn(colour), "#000000", colour);
  for (const colour of ["#000000", "#757575", "#0000ff", "#800000", "#008000"]) assert.equal(inkOn(colour), "#ffffff", colour);
});
