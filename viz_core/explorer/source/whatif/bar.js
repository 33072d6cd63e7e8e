// One bar of the row: the attention weight of a key, dragged or set with the arrow keys.

import { el } from "../shared/dom.js";
import { hasModifier } from "../shared/keyboard.js";

const STEP = 0.01, LARGE_STEP = 0.1; // per arrow key press, and with Shift

/**
 * begin(bar): the row that a gesture starts from; null if the bar cannot be moved. set(bar, weight, gesture, row): sets
 * the weight of the bar's key in that row; all changes of a gesture are undone together. `bar.key`: the key it stands
 * for now.
 */
export function createBar(begin, set) {
  const label = el("span", { class: "name" }), fill = el("i", { class: "fill" }), before = el("i", { class: "before" });
  const figure = el("span", { class: "weight" }), track = el("span", { class: "track" }, fill, before);
  const element = el("div", {
    class: "bar", role: "slider", tabindex: "-1", "aria-valuemin": "0", "aria-valuemax": "1" }, label, track, figure);
  const bar = { element, key: 0, name, show };
  listenToDrags(bar, track, begin, set);
  element.addEventListener("keydown", (event) => press(bar, event, begin, set));

  function name(key, text) {
    bar.key = key;
    label.textContent = text;
    element.setAttribute("aria-label", text);
  }

  /** original: the model's own weight. free: whether the key may be attended to. */
  function show(weight, original, free) {
    fill.style.width = `${100 * weight}%`;
    before.style.left = `${100 * original}%`;
    figure.textContent = weight.toFixed(3);
    element.setAttribute("aria-valuenow", weight.toFixed(3));
    element.setAttribute("aria-disabled", String(!free));
  }

  return bar;
}

let drags = 0;

/** Each move starts from the row as it was when the drag began, so that overshooting and coming back loses nothing. */
function listenToDrags(bar, track, begin, set) {
  /** @type {{ gesture: string, row: number[] } | null} */
  let drag = null;
  const follow = (event) => {
    if (!drag || !track.hasPointerCapture(event.pointerId)) return;
    const box = track.getBoundingClientRect();
    set(bar, (event.clientX - box.left) / box.width, drag.gesture, drag.row);
  };
  track.addEventListener("pointerdown", (event) => {
    const row = event.button ? null : begin(bar);
    if (!row) return;
    event.preventDefault();
    bar.element.focus();
    track.setPointerCapture(event.pointerId);
    drag = { gesture: `drag ${++drags}`, row };
    follow(event);
  });
  track.addEventListener("pointermove", follow);
  for (const end of ["pointerup", "pointercancel"]) track.addEventListener(end, () => { drag = null; });
}

/** Left, right, Home and End set the weight; up and down move between bars (row.js). */
function press(bar, event, begin, set) {
  const row = hasModifier(event) ? null : begin(bar);
  if (!row) return;
  const step = event.shiftKey ? LARGE_STEP : STEP, weight = row[bar.key];
  const target = { ArrowLeft: weight - step, ArrowRight: weight + step, Home: 0, End: 1 }[event.key];
  if (target === undefined) return;
  event.preventDefault();
  set(bar, target, "keys", row);
}
