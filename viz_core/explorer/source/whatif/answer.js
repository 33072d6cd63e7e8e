// The answer as it is now beside the one before, the way back, and what is changed, in words.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { createControl } from "./control.js";
import { createLanes } from "./lanes.js";
import { percent, points } from "./numbers.js";
import { summary } from "./summary.js";

/** acts: `undo`, `redo`, `reset`, `retry`, `can()` which of them can be done. */
export function createAnswer(context) {
  const { input, say, acts } = context, { classes, predicted } = input, before = input.original.at(-1);
  const headline = el("p", { class: "headline" }), flip = el("p", { class: "flip" });
  const buttons = Object.fromEntries(["undo", "redo", "reset"].map((name) => (
    [name, button(say(name), say(`${name}_help`), acts[name])])));
  const retry = button(say("retry"), say("retry"), acts.retry);
  const reason = el("span"), failure = el("p", { class: "failure", role: "alert" }, reason, retry);
  const list = el("p", { class: "changed" }), spoken = el("p", { class: "spoken", role: "status" });
  const lanes = createLanes(context), control = createControl(context, lanes.random);
  const element = el("section", { class: "view answer", "aria-label": say("answer") },
    el("header", {}, headline, flip, el("div", { class: "acts" }, ...Object.values(buttons))), lanes.element, failure, spoken);
  const words = el("div", { class: "words" }, control.sentence, control.marks, list);
  lanes.fill("before", before);

  function showAnswer(probability, answer) {
    lanes.fill("now", probability);
    headline.replaceChildren(el("span", { class: "label" }, classes.at(-1)), ` ${percent(before)} → `,
      el("b", {}, percent(probability)), " ",
      el("span", { class: "delta" }, `(${say("points", { points: points(probability - before) })})`));
    const flipped = answer !== predicted;
    flip.textContent = say(flipped ? "flips" : "stays", { before: classes[predicted], answer: classes[answer] });
    flip.classList.toggle("flipped", flipped);
  }

  /** sentence: of the server; empty where it did not answer at all, and may be asked again; null where nothing failed. */
  function showFailure(sentence) {
    element.classList.toggle("stale", sentence !== null);
    failure.hidden = sentence === null;
    if (sentence !== null) reason.textContent = sentence || say("failed");
    retry.hidden = sentence !== "";
  }

  return {
    element,
    words,
    draw(state) {
      showAnswer(state.answer?.probabilities.at(-1) ?? before, state.answer?.answer ?? predicted);
      showFailure(state.failure);
      control.draw(state);
      const done = summary(state.changes, input, say);
      list.textContent = done ? `${say("changed")} ${done}` : say("nothing_changed");
      for (const [name, can] of Object.entries(acts.can())) buttons[name].setAttribute("aria-disabled", String(!can));
    },
    /** Read aloud once all is at rest: each step of a drag would be too much talk. */
    speak() { spoken.textContent = `${headline.textContent}. ${flip.textContent} ${control.sentence.textContent}`; },
  };
}
