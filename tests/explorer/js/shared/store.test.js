// The state shared by the views. Frames are drawn by the test.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createStore } from "../../../../viz_core/explorer/source/shared/store.js";

/** A store, the states that it drew, and `frame()`, which draws a frame. */
function open(onDraw = () => {}) {
  const frames = new Map(), draws = [];
  globalThis.requestAnimationFrame = (callback) => frames.set(frames.size + 1, callback).size;
  globalThis.cancelAnimationFrame = (id) => frames.set(id, () => {});
  const store = createStore({ a: 1, b: [1, 2], c: 0 }, (state) => {
    draws.push(state);
    onDraw(store);
  });
  const frame = () => {
    const due = [...frames.values()];
    frames.forEach((_, id) => frames.set(id, () => {}));
    due.forEach((callback) => callback());
  };
  return { store, draws, frame };
}

test("changes are kept at once and drawn once a frame", () => {
  const { store, draws, frame } = open();
  store.set({ a: 2 });
  store.set({ a: 3, b: [3] });
  assert.deepEqual([store.get().a, draws.length], [3, 0]);
  frame();
  assert.deepEqual(draws, [{ a: 3, b: [3], c: 0 }]);
  frame();
  assert.equal(draws.length, 1);
});

test("equal values are not drawn again; a change without state is", () => {
  const { store, draws, frame } = open();
  store.set({ a: 1, b: [1, 2] });
  frame();
  assert.equal(draws.length, 0);
  store.touch();
  frame();
  assert.equal(draws.length, 1);
});

test("arrays, objects and other values are never equal to each other", () => {
  const { store, draws, frame } = open(), values = [[1, 2], { 0: 1, 1: 2 }, { 0: 1, 1: 3 }, { 0: 1 }, {}, new Map(), {}, new Map(), null, 0];
  for (const [index, value] of values.entries()) {
    store.set({ a: value });
    frame();
    assert.equal(draws.length, index + 1);
  }
});

test("what is changed while drawing is drawn in the next frame", () => {
  const { store, draws, frame } = open((store) => store.set({ a: 9 }));
  store.set({ c: 1 });
  frame();
  frame();
  assert.deepEqual(draws.map(({ a, c }) => [a, c]), [[1, 1], [9, 1]]);
});

test("nothing is drawn after closing, and a flush does not wait for the frame", () => {
  const { store, draws, frame } = open();
  store.set({ a: 0 });
  store.flush();
  frame();
  assert.equal(draws.length, 1);
  store.set({ a: 4 });
  store.close();
  frame();
  assert.equal(draws.length, 1);
});
