// The candidates for the word that is selected: click one, and decoding goes on from there.

import { el } from "../shared/dom.js";
import { percent } from "./names.js";

/**
 * `{ element, draw(result, state, selected) }`. begin: the token that the decoder reads first;
 * onfeed(position, word): another word is to stand there.
 */
export function createCandidates(say, begin, onfeed) {
  const title = el("h3"), note = el("span", { class: "note" }), list = el("div", { class: "candidates", role: "group" });
  const input = el("input", { type: "text", autocomplete: "off", spellcheck: "false",
    placeholder: say("feed"), "aria-label": say("feed") });
  const form = el("form", { class: "feed", onsubmit: (event) => {
    event.preventDefault();
    if (input.value.trim()) onfeed(position, input.value.trim());
    input.value = "";
  } }, input, el("button", { type: "submit" }, say("feed_now")));
  input.addEventListener("keydown", (event) => event.stopPropagation());
  const element = el("section", { class: "choice" }, el("header", {}, title, note), list);
  let position = 0;

  function candidate([, token, probability], step) {
    const taken = token === step.token;
    const name = say(taken ? "candidate_taken" : "candidate", { word: token, probability: percent(probability) });
    return el("button", { type: "button", class: "word candidate", "aria-pressed": String(taken), title: name,
      onclick: () => onfeed(position, token) },
    el("span", { class: "token" }, token),
    el("i", { class: "track", "aria-hidden": "true" }, el("i", { class: "fill", style: `width:${100 * probability}%` })),
    el("span", { class: "share" }, percent(probability)));
  }

  return {
    element,
    draw({ steps }, { view }, selected) {
      const step = steps[selected], training = view === "training";
      element.hidden = !step;
      // Those of a beam search come with its end: until then their place is empty, and nothing below it moves.
      element.style.visibility = step?.candidates.length ? "" : "hidden";
      if (!step?.candidates.length) return;
      position = selected;
      title.textContent = say("candidates", { position: selected + 1 });
      const read = selected ? steps[selected - 1].token : begin;
      note.textContent = say(training ? "candidates_note_training" : "candidates_note", { read });
      const listed = step.candidates.some(([id]) => id === step.id);
      const own = listed ? [] : [[step.id, step.token, step.probability]];
      const buttons = [...step.candidates, ...own].map((entry) => candidate(entry, step));
      for (const button of buttons) button.disabled = training;
      form.hidden = training;
      list.replaceChildren(...buttons, form);
    },
  };
}
