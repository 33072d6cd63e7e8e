// The prediction before and after the changes, undo and redo, and a list of the changes.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { joinTexts } from "../shared/translator.js";
import { createControl } from "./control.js";
import { createLanes } from "./lanes.js";
import { percent, points } from "./numbers.js";
import { summary } from "./summary.js";

/** actions: `undo`, `redo`, `reset`, `retry`, and `can()`: which of them are possible. */
export function createPrediction(context) {
  const { input, say, actions } = context, { classes, predicted, tracked } = input, before = input.original[tracked];
  const headline = el("p", { class: "headline" }), flip = el("p", { class: "flip" });
  const buttons = Object.fromEntries(["undo", "redo", "reset"].map((name) => (
    [name, button(say(name), say(`${name}_help`), actions[name])])));
  const retry = button(say("retry"), say("retry"), actions.retry);
  const reason = el("span"), failure = el("p", { class: "failure", role: "alert" }, reason, retry);
  const list = el("p", { class: "changed" }), announcement = el("p", { class: "spoken", role: "status" });
  const lanes = createLanes(context), control = createControl(context, lanes.random);
  const element = el("section", { class: "view prediction", "aria-label": say("prediction") },
    el("header", {}, headline, flip, el("div", { class: "actions" }, ...Object.values(buttons))),
    lanes.element, failure, announcement);
  const words = el("div", { class: "words" }, ...(input.layers ? [control.sentence, control.marks] : []), list);
  lanes.fill("before", before);

  function showPrediction(probability, label) {
    const difference = say("points", { points: points(probability - before) });
    lanes.fill("now", probability);
    headline.replaceChildren(el("span", { class: "label" }, classes[tracked]), ` ${percent(before)} → `,
      el("b", {}, percent(probability)), el("span", { class: "delta" }, joinTexts("", difference)));
    const flipped = label !== predicted;
    flip.textContent = say(flipped ? "flips" : "stays", { before: classes[predicted], prediction: classes[label] });
    flip.classList.toggle("flipped", flipped);
  }

  /** message: from the server; empty if it did not respond and the request may be repeated; null if nothing failed. */
  function showFailure(message) {
    element.classList.toggle("stale", message !== null);
    failure.hidden = message === null;
    if (message !== null) reason.textContent = message || say("failed");
    retry.hidden = message !== "";
  }

  return {
    element,
    words,
    draw(state) {
      showPrediction(state.result?.probabilities[tracked] ?? before, state.result?.predicted ?? predicted);
      showFailure(state.failure);
      control.draw(state);
      const text = summary(state.changes, input, say);
      list.textContent = text ? say("changed", { changes: text }) : say("nothing_changed");
      for (const [name, can] of Object.entries(actions.can())) {
        buttons[name].setAttribute("aria-disabled", String(!can));
      }
    },
    /** Announced to screen readers once everything is idle, not at each step of a drag. */
    announce() {
      announcement.textContent = `${headline.textContent}. ${flip.textContent} ${control.sentence.textContent}`;
    },
  };
}
