// The prediction before and after the changes, undo and redo, and a list of the changes.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { joinTexts } from "../shared/translator.js";
import { createControl } from "./control.js";
import { createLanes } from "./lanes.js";
import { summary } from "./summary.js";

/** actions: `undo`, `redo`, `reset`, `retry`, and `can()`: which of them are possible. */
export function createPrediction(context) {
  const { input, say, actions, measure } = context, { before } = measure;
  const headline = el("p", { class: "headline" }), flip = el("p", { class: "flip" });
  const buttons = Object.fromEntries(["undo", "redo", "reset"].map((name) => (
    [name, button(say(name), say(`${name}_help`), actions[name])])));
  const retry = button(say("retry"), say("retry"), actions.retry);
  const reason = el("span"), failure = el("p", { class: "failure", role: "alert" }, reason, retry);
  const list = el("p", { class: "changed" }), announcement = el("p", { class: "spoken", role: "status" });
  const lanes = createLanes(context), control = createControl(context, lanes.random);
  const element = el("section", { class: "view prediction", "aria-label": say(measure.key("prediction")) },
    el("header", {}, headline, flip, el("div", { class: "actions" }, ...Object.values(buttons))),
    lanes.element, failure, announcement);
  const words = el("div", { class: "words" }, ...(input.layers ? [control.sentence, control.marks] : []), list);
  lanes.fill("before", before);

  function showPrediction(value, label, name) {
    const difference = say(measure.key("points"), { points: measure.change(value - before) });
    lanes.fill("now", value);
    headline.replaceChildren(el("span", { class: "label" }, measure.name), ` ${measure.text(before)} → `,
      el("b", {}, measure.text(value)), el("span", { class: "delta" }, joinTexts("", difference)));
    const [sentence, flipped] = measure.verdict(label, name);
    flip.textContent = sentence;
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
      showPrediction(state.result?.value ?? before, state.result?.predicted ?? input.predicted, state.result?.likeliest);
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
      const text = joinTexts(flip.textContent, control.sentence.textContent);
      announcement.textContent = say("announced", { title: headline.textContent, text });
    },
  };
}
