import assert from "node:assert/strict";
import { test } from "node:test";
import { headLabel, tokenName } from "../../../../viz_core/explorer/source/shared/names.js";

test("names have the position and are cut after 24 characters, which are no code units", () => {
  const units = { labels: ["[CLS]", "x".repeat(24), "x".repeat(25), "👍".repeat(14)] };
  assert.deepEqual([0, 1, 2, 3].map((unit) => tokenName(units, unit)),
    ["[CLS] (1)", `${"x".repeat(24)} (2)`, `${"x".repeat(24)}… (3)`, `${"👍".repeat(14)} (4)`]);
});

test("a head is named for its own attention", () => {
  const input = { names: { "self 2.4": "aligner", "cross 1.1": "copier" } };
  assert.deepEqual([headLabel(input, 1, 3), headLabel(input, 0, 0), headLabel({ ...input, kind: "cross" }, 0, 0), headLabel({}, 1, 3)],
    ["2.4 · aligner", "1.1", "1.1 · copier", "2.4"]);
});
