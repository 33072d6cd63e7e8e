import assert from "node:assert/strict";
import { test } from "node:test";
import { ofMeasure } from "../../../../viz_core/explorer/source/explorer/measures.js";

test("an input without norms has its weights alone", () => {
  const input = { measures: ["weights"] };
  assert.equal(ofMeasure(input, "norms"), input);
});
