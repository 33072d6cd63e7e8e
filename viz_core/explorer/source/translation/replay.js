// The translation once more, slowly: on most machines it is written faster than anybody can read.

import { el } from "../shared/dom.js";
import { isStill } from "../explorer/motion.js";

const PAUSE = 700; // ms between two words

/**
 * `{ element, count, draw(result, state), reset() }`. count: words shown so far. onword(): another one is to be drawn.
 * For whoever has asked for less motion nothing plays by itself: each click shows the next word.
 */
export function createReplay(say, onword) {
  let count = Infinity, length = 0, timer = 0;
  const element = el("button", { type: "button", class: "replay", onclick: advance });

  function advance() {
    if (timer) stop();
    else step(count < length ? count + 1 : 1);
  }

  function step(next) {
    const isLast = next >= length;
    count = isLast ? Infinity : next;
    timer = isLast || isStill() ? 0 : setTimeout(step, PAUSE, next + 1);
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
      element.textContent = say(timer ? "replay_stop" : count < length ? "replay_next" : "replay");
    },
    reset,
  };
}
