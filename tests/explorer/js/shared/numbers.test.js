import assert from "node:assert/strict";
import { test } from "node:test";
import { percent } from "../../../../viz_core/explorer/source/shared/numbers.js";

for (const [probability, text] of [
  [0.5, "50.0%"], [0.99949, "99.9%"], [0.9995, ">99.9%"], [1, "100.0%"], [0.0004, "<0.1%"], [0, "0.0%"], [0.0005, "0.1%"],
]) {
  test(`${probability} is ${text}`, () => assert.equal(percent(probability), text));
}
