// What random heads would have done, as a lane and as a sentence: an effect that they have too says little about these heads.

import { el } from "../shared/dom.js";
import { points } from "./numbers.js";
import { signs } from "./signs.js";

/** `{ sentence, marks, draw(state) }`; lane: where the range of random heads is drawn. */
export function createControl({ input, say }, lane) {
  const band = el("i", { class: "band" }), mean = el("i", { class: "mean" }), here = el("i", { class: "here" });
  const sentence = el("p", { class: "control" });
  const marks = signs(["here", "band", "mean"].map((mark) => [mark, say(`mark_${mark}`)]));
  lane.track.append(band, mean, here);

  function place(control) {
    band.style.left = `${100 * control.low}%`;
    band.style.width = `${100 * (control.high - control.low)}%`;
    mean.style.left = `${100 * (control.without + control.mean)}%`;
    here.style.left = `${100 * control.changed}%`;
  }

  function comparison(control, changes) {
    const { without, heads, draws } = control;
    const values = { label: input.classes.at(-1), count: heads, heads, draws, points: points(control.changed - without),
      mean: points(control.mean), spread: digits(control.spread), low: points(control.low - without),
      high: points(control.high - without) };
    const others = Object.keys(changes.tokens).length + Object.keys(changes.rows).length;
    return `${say("control", values)} ${say(`control_${control.verdict}`)}${others ? ` ${say("control_kept")}` : ""}`;
  }

  /** Why there is nothing to compare with. */
  function reason({ changes, control, failure }) {
    if (!Object.keys(changes.heads).length) return say("control_heads");
    if (failure !== null) return say("control_failed");
    return say(control ? "control_none" : "control_waits");
  }

  return {
    sentence,
    marks,
    draw(state) {
      const { control, changes } = state, known = Boolean(control?.draws);
      for (const mark of [band, mean, here]) mark.hidden = !known;
      marks.classList.toggle("unused", !known);
      lane.figure.textContent = known ? `${points(control.mean)} ± ${digits(control.spread)}` : "";
      sentence.textContent = known ? comparison(control, changes) : reason(state);
      if (known) place(control);
    },
  };
}

const digits = (spread) => (100 * spread).toFixed(1); // points, without a sign
