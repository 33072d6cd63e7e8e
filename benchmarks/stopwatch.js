// Runs in the page: measures the time from an input event until the explorer has drawn its effect.
// A frame counts as drawn when the next frame begins: by then the browser has done style, layout and paint.

const TIMEOUT = 20_000; // milliseconds

window.stopwatch = {
  result: null,

  /** Starts waiting for the event; `result` is a promise of the measurement. kind: of the functions below. */
  wait(kind) {
    drawings.length = 0; // what is measured is memory, too
    this.result = this[kind]();
  },

  /** Focuses the heat map. */
  focus() {
    root().querySelector(".heatmap .stage").focus();
  },

  /** Focuses the last text box, with the caret at the end. text: what to put into it before, if any. */
  enter(text = null) {
    const box = [...inComponent("textarea")].at(-1);
    box.focus();
    if (text !== null) {
      box.value = text;
      box.dispatchEvent(new InputEvent("input", { bubbles: true }));
    }
    box.setSelectionRange(box.value.length, box.value.length);
  },

  /** Whether everything typed is drawn and reported. */
  isIdle: () => inComponent(".instrument")?.[0]?.dataset.idle === "true" && root().dataset.exact === "true",

  /** A click: milliseconds until another input is drawn with all its views. */
  async opening() {
    const before = root()?.dataset.drawn;
    const { drawn } = await until("click", () => {
      const now = root()?.dataset;
      return now?.drawn && now.drawn !== before && now.exact === "true";
    }, 2);
    return { drawn };
  },

  /**
   * A key in a text box: milliseconds until the frame is finished in which everything of the new text is drawn. What is
   * drawn is observed: asking in every frame would make the browser produce frames that nobody else needs.
   */
  async typing() {
    const explorer = root(), before = explorer.dataset.drawn, start = await next("keydown");
    await attributes(explorer, ({ drawn, exact }) => drawn !== before && exact === "true");
    return { drawn: await lastFrame() - start };
  },

  /** A click: milliseconds until the page about the inside of attention is drawn. */
  async inside() {
    const { drawn } = await until("click", () => inComponent('.inside[data-idle="true"]'), 2);
    return { drawn };
  },

  /** A click: milliseconds until the atlas of heads is drawn. */
  async atlas() {
    const { drawn } = await until("click", () => inComponent(".atlas[data-drawn]"), 2);
    return { drawn };
  },

  /** A click: milliseconds until the page of a head is drawn: its passages, and what is below them. */
  async head() {
    const { drawn } = await until("click", () => document.querySelector("#neighbours") && inComponent(".passages article"), 2);
    return { drawn };
  },

  /** A key: milliseconds of script until the next step of that page is drawn. */
  async step() {
    const { start, drawn } = await until("keydown", (from) => frames(from).length, 1);
    return { drawn, script: frames(start).reduce((sum, { duration }) => sum + duration, 0) };
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

/** The explorer's root element. */
const root = () => inComponent(".explorer")?.[0] ?? null;

/** The elements that match in the first shadow DOM, of a component, in which any do. */
function inComponent(selector) {
  for (const { shadowRoot } of document.querySelectorAll("*")) {
    const elements = shadowRoot?.querySelectorAll(selector);
    if (elements?.length) return elements;
  }
  return null;
}

const drawings = [], observer = new PerformanceObserver((list) => drawings.push(...list.getEntries()));
observer.observe({ type: "measure" });

/** The explorer's drawings since a time: an entry each, with the duration of its script. */
function frames(from) {
  drawings.push(...observer.takeRecords());
  return drawings.filter(({ name, startTime }) => name === "explorer frame" && startTime >= from);
}

/** The time stamp of the next event of a type. */
const next = (type) => within(`waiting for a ${type} began`, (resolve) => (
  addEventListener(type, ({ timeStamp }) => resolve(timeStamp), { capture: true, once: true })));

/** Resolves as soon as the attributes of an element, its `data-…`, are as they should be. */
const attributes = (element, isDone) => within("a key", (resolve) => {
  new MutationObserver((_, observer) => {
    if (!isDone(element.dataset)) return;
    observer.disconnect();
    resolve();
  }).observe(element, { attributes: true });
});

/** The time at which a frame begins. */
const frame = () => new Promise((resolve) => requestAnimationFrame(() => resolve(performance.now())));

/** The time at which the frame begins that follows the one with the last drawing. */
async function lastFrame() {
  const count = frames(0).length;
  await frame(); // draws what has changed
  const end = await frame();
  return frames(0).length === count ? end : lastFrame();
}

/** What `run(resolve)` resolves to, or an error after a while. */
function within(name, run) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing ${TIMEOUT} ms after ${name}`)), TIMEOUT);
    run((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}

/** Time from the next event of a type until a frame begins with `isDone(start)`, and `more - 1` further ones have begun. */
function until(type, isDone, more) {
  return within(`waiting for a ${type} began`, (resolve) => {
    addEventListener(type, ({ timeStamp: start }) => {
      const finish = () => resolve({ start, drawn: performance.now() - start });
      const count = (left) => (left ? requestAnimationFrame(() => count(left - 1)) : finish());
      const check = () => (isDone(start) ? count(more - 1) : requestAnimationFrame(check));
      requestAnimationFrame(check);
    }, { capture: true, once: true });
  });
}
