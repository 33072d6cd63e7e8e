// The comparison with other heads, drawn at random or all of them, as a lane and as a sentence: an effect that they share
// says little about these.

import { el } from "../shared/dom.js";
import { joinTexts } from "../shared/translator.js";
import { signs } from "./signs.js";

/** `{ sentence, marks, draw(state) }`; lane: where the range of the other heads is drawn (lanes.js). */
export function createControl({ say, measure }, lane) {
  const band = el("i", { class: "band" }), mean = el("i", { class: "mean" }), here = el("i", { class: "here" });
  const sentence = el("p", { class: "control" });
  const marks = signs(["here", "band", "mean"].map((mark) => [mark, say(`mark_${mark}`)]));
  lane.track.append(band, mean, here);

  function drawRange(control) {
    band.style.insetInlineStart = position(control.low);
    band.style.width = `${100 * (Math.max(0, control.high) - Math.max(0, control.low))}%`;
    mean.style.insetInlineStart = position(control.without + control.mean);
    here.style.insetInlineStart = position(control.changed);
  }

  function comparison(control, changes) {
    const { without, heads, draws } = control;
    const values = { label: measure.name, count: heads, heads, draws, points: measure.change(control.changed - without),
      mean: measure.change(control.mean), spread: measure.spread(control.spread),
      low: measure.change(control.low - without), high: measure.change(control.high - without) };
    const others = Object.keys(changes.tokens).length + Object.keys(changes.rows).length;
    const sentences = [say(measure.key(control.complete ? "control_all" : "control"), values), say(`control_${control.verdict}`)];
    return joinTexts(...sentences, ...(others ? [say("control_other_changes")] : []));
  }

  /** Why there is no comparison. */
  function reason({ changes, control, failure }) {
    if (!Object.keys(changes.heads).length) return say("control_heads");
    if (failure !== null) return say("control_failed");
    return say(control ? "control_none" : "control_waits");
  }

  return {
    sentence,
    marks,
    draw(state) {
      const { control, changes } = state, available = Boolean(control?.draws);
      for (const mark of [band, mean, here]) mark.hidden = !available;
      marks.classList.toggle("unused", !available);
      lane.figure.textContent = available ? `${measure.change(control.mean)} ± ${measure.spread(control.spread)}` : "";
      sentence.textContent = available ? comparison(control, changes) : reason(state);
      if (available) drawRange(control);
    },
  };
}

const position = (value) => `${100 * Math.max(0, value)}%`; // similarities may be below 0
