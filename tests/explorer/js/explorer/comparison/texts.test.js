import assert from "node:assert/strict";
import { test } from "node:test";
import { cutUnlike } from "../../../../../viz_core/explorer/source/explorer/comparison/texts.js";

for (const [text, other, expected] of [
  ["a good film", "a bad film", "a good film"],
  ["the acting is good", "the acting", "…cting is …"],
  ["the acting is superb, not good", "the acting is superb, but bad", "…erb, not …"],
  ["abcdef ghij kl", "abcdefg", "…bcdef ghi…"],
  ["the acting is superb", "the acting is superb, not good", "…is superb"],
  ["the acting is good", "the acting is good", "the acting…"],
]) {
  test(`“${text}”, unlike “${other}”, is cut to “${expected}”`, () => assert.equal(cutUnlike(text, other, 11), expected));
}
