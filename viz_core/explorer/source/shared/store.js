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

/** Whether two values are equal: arrays and plain objects by their content, everything else if it is the same. */
function same(a, b) {
  if (Object.is(a, b)) return true;
  if (!isPlain(a) || !isPlain(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => name in b && same(a[name], b[name]));
}

const isPlain = (value) => Array.isArray(value) || (Boolean(value) && Object.getPrototypeOf(value) === Object.prototype);
