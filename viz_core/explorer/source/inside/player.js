// Goes through the steps by itself, no faster than what is said of each can be read.

import { button } from "../shared/controls.js";
import { isStill } from "../explorer/motion.js";

// ms: a step begins with a look at the picture; then 250 words a minute in English, 300 characters in Chinese, at most.
const LOOK = 2500, LETTER = 45, HAN = 200;

/** How long a text is shown, ms. */
export const pause = (text) => {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  return LOOK + HAN * han + LETTER * (text.length - han);
};

/**
 * `{ element, stop() }`. step(): goes a step forward; returns whether there is a further one. narration(): what is said of
 * the step. For whoever has asked for less motion nothing plays by itself: each click is a step.
 */
export function createPlayer(say, step, narration) {
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
    tick();
  }

  function tick() {
    if (step()) timer = setTimeout(tick, pause(narration()));
    else stop();
  }

  function stop() {
    clearTimeout(timer);
    timer = 0;
    show(false);
  }

  return { element, stop };
}
