// The translation once more, slowly: on most machines it is written faster than anybody can read.

import { el } from "../shared/dom.js";

const PAUSE = 700; // ms between two words

/** `{ element, count, draw(result, state), reset() }`. count: words shown so far. onword(): another one is to be drawn. */
export function createReplay(say, onword) {
  let count = Infinity, length = 0, timer = 0;
  const element = el("button", { type: "button", class: "replay", onclick: () => (timer ? stop() : step(1)) });

  function step(next) {
    count = next;
    timer = count < length ? setTimeout(step, PAUSE, count + 1) : 0;
    if (!timer) count = Infinity;
    onword();
  }

  /** Shows all words again, without drawing. */
  function reset() {
    clearTimeout(timer);
    timer = 0;
    count = Infinity;
  }

  function stop() {
    reset();
    onword();
  }

  return {
    element,
    get count() { return count; },
    draw({ steps, nodes, done }, { view }) {
      length = Math.max(steps.length, nodes.at(-1)?.depth ?? 0);
      element.hidden = view === "training" || !done; // in training there is nothing to wait for
      element.textContent = say(timer ? "replay_stop" : "replay");
    },
    reset,
  };
}
