// The changes to a model and its input: their states, requests and history.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createHistory, cycleHead, cycleToken, fromRequest, hasRemoved, isChanged, NOTHING, toggleDeletion, toggleLayer, tokenStates,
  toRequest, withRow,
} from "../../../../viz_core/explorer/source/whatif/changes.js";

const WORD = tokenStates(false, true), SPECIAL = tokenStates(true, true);

test("a token has the states that input and vocabulary allow", () => {
  assert.deepEqual([WORD, SPECIAL, tokenStates(false, true, false), tokenStates(false, false)], [
    ["present", "removed", "unknown", "blocked"], ["present", "blocked"], ["present", "removed", "blocked"],
    ["present", "removed", "unknown"]]);
});

test("undo and redo treat a gesture as one step", () => {
  const history = createHistory("a");
  for (const [changes, gesture] of [["b"], ["c", "drag"], ["d", "drag"], ["e", "keys"]]) history.record(changes, gesture);
  const after = (...names) => names.map((name) => history[name]());
  assert.deepEqual(after("canUndo", "canRedo"), [true, false]);
  assert.deepEqual(after("undo", "undo", "redo", "redo", "redo", "undo"), ["d", "b", "d", "e", "e", "d"]);
  history.record("f", "keys");
  assert.deepEqual(after("canRedo", "undo", "undo", "canUndo", "undo", "undo", "canUndo"), [false, "d", "b", true, "a", "a", false]);
});

test("states cycle, and a request lists the changes", () => {
  let changes = toggleLayer(NOTHING, 1, 2);
  changes = cycleHead(cycleHead(changes, 1, 0), 0, 1);
  changes = cycleToken(cycleToken(cycleToken(changes, 3, WORD), 3, WORD), 0, SPECIAL);
  changes = withRow(changes, "0.1.12", [1 / 3, 2 / 3]);
  assert.deepEqual(toRequest(changes), { masked: [[1, 1], [0, 1]], uniform: [[1, 0]], removed: [], deleted: [], unknown: [3],
    blocked: [0], rows: [[0, 1, 12, [0.333333, 0.666667]]] }); // 21845 and 43690 of 65535
  const back = withRow(cycleToken(NOTHING, 0, SPECIAL), "0.0.0", null);
  assert.deepEqual([changes, back, cycleToken(back, 0, SPECIAL), NOTHING].map(isChanged), [true, true, false, false]);
  assert.deepEqual(toggleLayer(toggleLayer(NOTHING, 0, 2), 0, 2), NOTHING);
});

test("changes are read from the fields of a request", () => {
  const heads = { "1.1": "masked", "0.1": "uniform" }, tokens = { 3: "unknown", 0: "blocked", 2: "removed" };
  const rows = { "0.1.12": [0.4, 0.2, 0.4] }; // multiples of 1/65535
  const deleted = { ...NOTHING, tokens: { 2: "removed" }, deletes: true };
  for (const changes of [{ heads, tokens, rows, deletes: false }, deleted, NOTHING]) {
    assert.deepEqual(fromRequest(toRequest(changes)), changes);
  }
  assert.deepEqual(fromRequest({}), NOTHING);
});

for (const row of [[1 / 3, 1 / 3, 1 / 3], [0.2, 0, 0.8], Array(512).fill(1 / 512), [0, 1], [1e-7, 1 - 1e-7]]) {
  test(`${row.length} weights from ${row[0]} are kept as multiples that sum to 1 and stay the same`, () => {
    const edit = (weights) => withRow(NOTHING, "0.0.0", weights);
    const kept = edit(row).rows["0.0.0"], levels = kept.map((weight) => Math.round(weight * 65535));
    assert.deepEqual(kept, levels.map((level) => level / 65535)); // bit for bit what a link is read as
    assert.equal(levels.reduce((sum, level) => sum + level), 65535);
    assert.deepEqual([edit(kept), edit(toRequest(edit(row)).rows[0][3])], [edit(row), edit(row)]);
  });
}

test("removed tokens are deleted under that option", () => {
  const removed = cycleToken(NOTHING, 3, WORD), deleted = toggleDeletion(removed);
  const unknown = cycleToken(deleted, 3, WORD), none = cycleToken(cycleToken(unknown, 3, WORD), 3, WORD);
  for (const [changes, ofRequest, has] of [
    [removed, [[3], []], true], [deleted, [[], [3]], true], [toggleDeletion(deleted), [[3], []], true],
    [unknown, [[], []], false],
  ]) {
    const request = toRequest(changes);
    assert.deepEqual([[request.removed, request.deleted], hasRemoved(changes)], [ofRequest, has]);
  }
  assert.deepEqual([none, toggleDeletion(none)].map(isChanged), [true, false]);
});
