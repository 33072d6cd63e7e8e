// Runs in the page: measures the time from an input event until the explorer has drawn its effect.
// A frame counts as drawn when the next frame begins: by then the browser has done style, layout and paint.

const TIMEOUT = 20_000; // milliseconds

window.stopwatch = {
  result: null,

  /** Starts waiting for the event; `result` is a promise of the measurement. kind: `opening` or `change`. */
  wait(kind) {
    this.result = this[kind]();
  },

  /** Focuses the heat map. */
  focus() {
    root().querySelector(".heatmap .stage").focus();
  },

  /** A click: milliseconds until another input is drawn with all its views. */
  async opening() {
    const before = root()?.dataset.drawn;
    const { drawn } = await until("click", () => {
      const now = root()?.dataset;
      return now?.drawn && now.drawn !== before && now.exact === "true";
    }, 2);
    return { drawn };
  },

  /** A key in a text box: milliseconds until the input that it leads to is drawn with all its views. */
  async typing() {
    const before = root().dataset.drawn;
    const { drawn } = await until("keydown", () => {
      const now = root().dataset;
      return now.drawn !== before && now.exact === "true";
    }, 2);
    return { drawn };
  },

  /** A key: milliseconds until the change is drawn with exact weights, milliseconds of script, whether it fetched. */
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

/** The explorer's root element, in the shadow DOM of the component. */
function root() {
  for (const element of document.querySelectorAll("*")) {
    const explorer = element.shadowRoot?.querySelector(".explorer");
    if (explorer) return explorer;
  }
  return null;
}

/** The explorer's frames since a time: an entry per frame, with the duration of its script. */
function frames(from) {
  return performance.getEntriesByName("explorer frame").filter(({ startTime }) => startTime >= from);
}

/** Time from the next event of a type until a frame begins with `isDone(start)`, and `more - 1` further frames have begun. */
function until(type, isDone, more) {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`nothing drawn ${TIMEOUT} ms after waiting for a ${type} began`)), TIMEOUT);
    addEventListener(type, ({ timeStamp: start }) => {
      const finish = () => resolve({ start, drawn: performance.now() - start });
      const count = (left) => (left ? requestAnimationFrame(() => count(left - 1)) : finish());
      const check = () => (isDone(start) ? count(more - 1) : requestAnimationFrame(check));
      requestAnimationFrame(check);
    }, { capture: true, once: true });
  });
}
