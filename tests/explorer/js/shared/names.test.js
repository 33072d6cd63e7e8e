import assert from "node:assert/strict";
import { test } from "node:test";
import { tokenName } from "../../../../viz_core/explorer/source/shared/names.js";

test("names have the position and are cut after 24 characters, which are no code units", () => {
  const units = { labels: ["[CLS]", "x".repeat(24), "x".repeat(25), "👍".repeat(14)] };
  assert.deepEqual([0, 1, 2, 3].map((unit) => tokenName(units, unit)),
    ["[CLS] (1)", `${"x".repeat(24)} (2)`, `${"x".repeat(24)}… (3)`, `${"👍".repeat(14)} (4)`]);
});
