// Goes through the steps by itself.

import { button } from "../shared/controls.js";
import { isStill } from "../explorer/motion.js";

const PAUSE = 4000; // ms for each step

/**
 * `{ element, stop() }`. step(): goes a step forward; returns whether there is a further one. For whoever has asked for
 * less motion nothing plays by itself: each click is a step.
 */
export function createPlayer(say, step) {
  let timer = 0;
  const element = button("▶", say("play"), () => (timer ? stop() : start()), { "aria-pressed": "false" });

  function show(playing) {
    element.textContent = playing ? "❚❚" : "▶";
    element.title = say(playing ? "pause" : "play");
    element.setAttribute("aria-label", element.title);
    element.setAttribute("aria-pressed", String(playing));
  }

  function start() {
    if (isStill()) {
      step();
      return;
    }
    show(true);
    timer = setInterval(tick, PAUSE);
    tick();
  }

  function tick() {
    if (!step()) stop();
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    show(false);
  }

  return { element, stop };
}
