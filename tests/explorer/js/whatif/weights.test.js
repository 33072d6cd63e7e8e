// Editing a row of attention, of which the third key may not be attended to.

import { test } from "node:test";
import { renormalise, setWeight } from "../../../../viz_core/explorer/source/whatif/weights.js";
import { near } from "../near.js";

const FREE = [true, true, false, true];

for (const [row, key, weight, expected] of [
  [[0.5, 0.3, 0, 0.2], 0, 0.75, [0.75, 0.15, 0, 0.1]],
  [[0.5, 0.3, 0, 0.2], 1, 0, [0.5 / 0.7, 0, 0, 0.2 / 0.7]],
  [[0.5, 0.3, 0, 0.2], 0, 1.7, [1, 0, 0, 0]],
  [[0.5, 0.3, 0, 0.2], 0, -1, [0, 0.6, 0, 0.4]],
  [[1, 0, 0, 0], 0, 0.4, [0.4, 0.3, 0, 0.3]],
  [[0, 0, 0, 1], 0, 0.5, [0.5, 0, 0, 0.5]],
]) {
  test(`setting key ${key} of ${row} to ${weight} rescales the others`, () => near(setWeight(row, key, weight, FREE), expected));
}

test("the only key gets all the weight", () => near(setWeight([1, 0], 0, 0.2, [true, false]), [1, 0]));

test("a row without its blocked keys sums to 1 again", () => {
  near(renormalise([0.4, 0.1, 0.5, 0], FREE), [0.8, 0.2, 0, 0]);
  near(renormalise([0, 0, 1, 0], FREE), [1 / 3, 1 / 3, 0, 1 / 3]);
});
