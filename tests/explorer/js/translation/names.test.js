import assert from "node:assert/strict";
import { test } from "node:test";
import { percent } from "../../../../viz_core/explorer/source/translation/names.js";

const TEXTS = { 0.344: "34%", 0.0994: "9.9%", 0.0996: "10%", 0.003: "0.3%", 0.0004: "<0.1%", 0.994: "99%", 0.996: "99.6%", 0.9997: ">99.9%" };

for (const [probability, text] of Object.entries(TEXTS)) {
  test(`${probability} is ${text}`, () => assert.equal(percent(Number(probability)), text));
}
