// Runs in the page: measures from an input event until what it asked for has been drawn by the explorer.
// A frame counts as drawn when the next one begins: between the two the browser has done style, layout and paint.

const PATIENCE = 20_000; // milliseconds

window.stopwatch = {
  result: null,

  /** Starts waiting, for the event first; `result` promises what was measured. kind: `opening` or `change`. */
  wait(kind) {
    this.result = this[kind]();
  },

  /** Gives the heat map the keys. */
  focus() {
    root().querySelector(".heatmap .stage").focus();
  },

  /** A click: milliseconds until another input than the one shown now is drawn with all its views. */
  async opening() {
    const before = root()?.dataset.drawn;
    const { drawn } = await until("click", () => {
      const now = root()?.dataset;
      return now?.drawn && now.drawn !== before && now.exact === "true";
    }, 2);
    return { drawn };
  },

  /** A key: milliseconds until the change is drawn with exact weights, those of script, and whether it fetched. */
  async change() {
    const explorer = root();
    let fetched = false;
    const { start, drawn } = await until("keydown", (from) => {
      fetched ||= explorer.dataset.exact === "false";
      return frames(from).length && explorer.dataset.exact === "true";
    }, 1);
    return { drawn, fetched, script: frames(start).reduce((sum, { duration }) => sum + duration, 0) };
  },
};

/** The explorer's own element; it stands in the shadow of the component's. */
function root() {
  for (const element of document.querySelectorAll("*")) {
    const found = element.shadowRoot?.querySelector(".explorer");
    if (found) return found;
  }
  return null;
}

/** What the explorer drew since then: one entry a frame, as long as its script took. */
function frames(from) {
  return performance.getEntriesByName("explorer frame").filter(({ startTime }) => startTime >= from);
}

/** From the next event of a type until `done(start)` holds as a frame begins, and `more - 1` further frames have begun. */
function until(type, done, more) {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`nothing drawn ${PATIENCE} ms after waiting for a ${type} began`)), PATIENCE);
    addEventListener(type, ({ timeStamp: start }) => {
      const finish = () => resolve({ start, drawn: performance.now() - start });
      const count = (left) => (left ? requestAnimationFrame(() => count(left - 1)) : finish());
      const look = () => (done(start) ? count(more - 1) : requestAnimationFrame(look));
      requestAnimationFrame(look);
    }, { capture: true, once: true });
  });
}
