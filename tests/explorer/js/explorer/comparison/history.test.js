import assert from "node:assert/strict";
import { test } from "node:test";
import { createHistory } from "../../../../../viz_core/explorer/source/explorer/comparison/history.js";

const ids = (history) => history.entries().map(({ id }) => id);

test("the most recent input comes first, each once, and listeners are told", () => {
  const history = createHistory(3);
  let changes = 0;
  const stop = history.listen(() => changes++);
  for (const id of "abcabd") history.add({ id });
  assert.deepEqual([ids(history), changes], [["d", "b", "a"], 6]);
  assert.deepEqual([history.before({ id: "d" }).id, history.before({ id: "x" }).id], ["b", "d"]);
  stop();
  history.add({ id: "e" });
  assert.equal(changes, 6);
});

test("it begins empty and keeps 20", () => {
  const history = createHistory();
  assert.deepEqual([history.before({ id: "a" }), ids(history)], [null, []]);
  for (let id = 0; id < 30; id++) history.add({ id });
  assert.equal(ids(history).length, 20);
});
