// What the model expected at a position: its candidates; of the next token also what temperature, top-k and top-p make of them.

import { el } from "../shared/dom.js";
import { percent } from "../translation/names.js";
import { waits } from "./state.js";

/** `{ element, draw(result, state, selected) }`. onput(position, id): another token is to stand there. */
export function createExpected(say, onput) {
  const title = el("h2"), note = el("p", { class: "note" }), list = el("div", { class: "expected" });
  const element = el("section", { class: "choice" }, title, note, list);

  /** The columns that are shown: of the model, then of each step that changes anything. @returns {[number, string][]} */
  function columns({ method, temperature, topK, topP }) {
    const shaping = method === "sample" ? [temperature !== 1 && temperature.toFixed(1), topK, topP < 1 && topP.toFixed(2)] : [];
    const steps = shaping.map((value, index) => /** @type {[number, any]} */ ([index + 1, value])).filter(([, value]) => value);
    return [[0, say("column_0")], ...steps.map(([index, value]) => /** @type {[number, string]} */ (
      [index, say(`column_${index}`, { value })]))];
  }

  function draw(rows, special, shown, position, own, canPut) {
    list.style.setProperty("--columns", String(shown.length));
    const head = shown.length > 1 ? [el("div", { class: "head", "aria-hidden": "true" }, el("span"),
      ...shown.map(([, name]) => el("span", { class: "label" }, name)))] : [];
    list.replaceChildren(...head, ...rows.map(({ id, token, probabilities }) => el("button", {
      type: "button", class: "row", disabled: !canPut || id === own, "aria-pressed": String(id === own),
      title: say("candidate", { word: token, probability: shown.map(([index]) => percent(probabilities[index])).join(" → ") }),
      onclick: () => onput(position, id) },
    el("span", { class: "token" }, el("span", { class: special.includes(token) ? "special" : null }, token)),
    ...shown.map(([index]) => el("span", { class: `cell stage-${index}${probabilities[index] ? "" : " gone"}` },
      el("i", { class: "track", "aria-hidden": "true" }, el("i", { class: "fill", style: `width:${100 * probabilities[index]}%` })),
      el("span", { class: "share" }, probabilities[index] ? percent(probabilities[index]) : "0"))))));
  }

  return {
    element,
    draw(result, state, selected) {
      const { steps, labels, starts, special, next, done } = result;
      element.hidden = !steps.length;
      if (selected === null) {
        title.textContent = say("next_title");
        const isWaiting = waits(state);
        note.textContent = isWaiting ? say("reply_waits") : result.notice || say("next_note");
        draw(next, special, columns(state), steps.length, null, done && !isWaiting);
        return;
      }
      const step = steps[selected], canPut = selected >= starts.length || starts[selected] > 0;
      title.textContent = say("expected", { position: selected + 1 });
      note.textContent = !step ? say("expected_first", { position: selected + 1 })
        : [say("expected_note", { word: labels[selected], probability: percent(step.probability), rank: step.rank ?? "–" }),
          canPut ? "" : say("no_change")].join(" ");
      const listed = step ? step.candidates : [];
      const own = !step || listed.some(([id]) => id === step.id) ? [] : [[step.id, step.token, step.probability]];
      draw([...listed, ...own].map(([id, token, probability]) => ({ id, token, probabilities: [probability] })),
        special, columns({ ...state, method: "greedy" }), selected, step?.id, canPut);
    },
  };
}
