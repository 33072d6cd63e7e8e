// The state that all views share. Changes are collected and drawn once, in the next frame.

/** `get()` the state, `set(patch)` it; `draw(state, changed)` is called once a frame with the names that changed. */
export function createStore(initial, draw) {
  let state = { ...initial }, changed = new Set(), frame = 0;
  const flush = () => {
    frame = 0;
    const names = changed;
    changed = new Set();
    const start = performance.now();
    draw(state, names);
    performance.clearMeasures("explorer frame"); // the browser keeps them for as long as the page is open
    performance.measure("explorer frame", { start, end: performance.now() });
  };
  const touch = (...names) => {
    names.forEach((name) => changed.add(name));
    frame ||= requestAnimationFrame(flush);
  };
  return {
    get: () => state,
    /** Redraws without a change of state: a size changed, or weights arrived. */
    touch,
    set(patch) {
      const names = Object.keys(patch).filter((name) => !same(state[name], patch[name]));
      if (!names.length) return;
      state = { ...state, ...patch };
      touch(...names);
    },
    /** Draws what has changed at once, not in the next frame. */
    flush() {
      cancelAnimationFrame(frame);
      if (frame) flush();
    },
    close: () => cancelAnimationFrame(frame),
  };
}

function same(a, b) {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
