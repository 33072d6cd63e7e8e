// Of a long text a record has the keys and values of a window: here of the second and the third of four keys.

import assert from "node:assert/strict";
import { test } from "node:test";
import { viewOf } from "../../../../viz_core/explorer/source/inside/view.js";

const ARRAYS = { "head.scores": Float32Array.of(0, 0, 0, 0), "head.values": Float32Array.of(5, 6), "head.context": Float32Array.of(7) };
const SIDE = { labels: ["a", "b", "c", "d"] };
const RECORD = {
  kind: "self", layer: 0, head: 0, query: 0, key: 2, sizes: { d: 1, K: 4 }, divisor: 1, cap: null, slidingWindow: null, window: { start: 1, length: 2 }, entropy: 1,
  sides: { query: SIDE, key: SIDE }, state: { changes: {} }, has: () => false, array: (name) => ARRAYS[name],
};

for (const [selected, key, vector] of [[1, 1, [5]], [2, 2, [6]], [3, 2, [6]]]) {
  test(`with key ${selected} selected, key ${key} is shown`, () => {
    const view = viewOf(RECORD, { ...RECORD, key: selected, changes: {} });
    assert.deepEqual([view.key, [...view.ofKey(view.values, 1)], view.keyName], [key, vector, `${SIDE.labels[key]} (${key + 1})`]);
  });
}

test("what a window does not suffice for is the record's", () => {
  assert.deepEqual([...viewOf(RECORD, { ...RECORD, changes: {} }).context], [7]);
});
