// The state that all views share. Changes are collected and drawn once, in the next frame.

import { same } from "./remember.js";

/** `get()` the state, `set(patch)` it; `draw(state)` is called once a frame, after changes. */
export function createStore(initial, draw) {
  let state = { ...initial }, frame = 0;
  const flush = () => {
    frame = 0;
    const start = performance.now();
    draw(state);
    performance.clearMeasures("explorer frame"); // the browser keeps them for as long as the page is open
    performance.measure("explorer frame", { start, end: performance.now() });
  };
  const touch = () => { frame ||= requestAnimationFrame(flush); };
  return {
    get: () => state,
    /** Redraws without a change of state: a size changed, or weights arrived. */
    touch,
    set(patch) {
      const names = Object.keys(patch).filter((name) => !same(state[name], patch[name]));
      if (!names.length) return;
      state = { ...state, ...patch };
      touch();
    },
    /** Draws what has changed at once, not in the next frame. */
    flush() {
      cancelAnimationFrame(frame);
      if (frame) flush();
    },
    close: () => cancelAnimationFrame(frame),
  };
}
