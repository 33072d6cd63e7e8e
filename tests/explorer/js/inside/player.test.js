import assert from "node:assert/strict";
import { test } from "node:test";
import { pause } from "../../../../viz_core/explorer/source/inside/player.js";

test("a step is shown for as long as its sentence takes to read, in both scripts", () => {
  assert.equal(pause(""), 2500);
  assert.equal(pause("ten chars."), 2500 + 10 * 45);
  assert.equal(pause("十个字x"), 2500 + 3 * 200 + 45);
});
