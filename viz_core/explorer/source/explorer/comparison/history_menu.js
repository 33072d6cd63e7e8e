// The menu of the texts of this visit: each can be shown again, or become the reference.

import { el } from "../../shared/dom.js";
import { modelName, referenceState } from "./reference.js";
import { cutText, typedTexts } from "./texts.js";

const LONGEST = 40; // characters of a text

/** `{ element, update(), close() }`; empty without a history, and hidden until there is a text to go back to. */
export function createHistoryMenu(context) {
  const { say, store, visit: { history, open } } = context;
  const list = el("ol"), element = el("details", { class: "history", hidden: true },
    el("summary", {}, say("history")), list);
  if (!history) return { element, update() {}, close() {} };

  const act = (action) => () => {
    element.open = false;
    action();
  };

  function createEntry(entry) {
    const typed = typedTexts(entry).join(" / "), { prediction } = entry;
    const model = entry.model === context.input.model ? "" : `${modelName(entry)} · `;
    return el("li", {},
      el("button", { type: "button", class: "text", title: typed, disabled: !open || entry.id === context.input.id,
        onclick: act(() => open(entry)) }, cutText(typed, LONGEST)),
      el("span", { class: "prediction" }, model, prediction.labels[prediction.predicted], " ",
        el("span", { class: "number" }, prediction.percents[prediction.predicted])),
      el("button", { type: "button", title: say("history_reference_help"),
        onclick: act(() => store.set(referenceState(entry, null))) },
      say("history_reference")));
  }

  function update() {
    const entries = history.entries();
    element.hidden = entries.length < 2 && entries[0]?.id === context.input.id;
    list.replaceChildren(...(element.open ? entries.map(createEntry) : [])); // nobody sees them in a closed menu
  }

  element.addEventListener("toggle", update);
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !element.open) return;
    element.open = false;
    element.querySelector("summary").focus();
    event.stopPropagation();
  });
  element.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && !element.contains(relatedTarget)) element.open = false;
  });
  return { element, update, close: history.listen(update) };
}
