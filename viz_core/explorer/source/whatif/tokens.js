// The input as chips: clicking a token removes it, replaces it by [UNK], or blocks attention to it.

import { el } from "../shared/dom.js";
import { roveFocus } from "../shared/keyboard.js";
import { remember } from "../shared/remember.js";
import { section } from "../shared/section.js";
import { cycleToken, stateName, tokenState, tokenStates } from "./changes.js";
import { createDeletion } from "./deletion.js";
import { signs } from "./signs.js";

export function createTokens(context) {
  const { input, say, change, changes } = context;
  const deletion = createDeletion(context), attended = input.layers > 0;
  const statesOf = (special) => tokenStates(special, attended, input.replaces);
  const classified = attended && input.classes.length && input.kind !== "causal";
  const sayState = (state) => say(state === "removed" && !classified ? "token_removed_alone" : `token_${state}`);
  const chips = input.labels.map((label, token) => {
    const special = input.groups[token] < 0, states = statesOf(special), alone = states.length === 1;
    return el("button", { type: "button", class: special ? "chip special" : "chip", tabindex: token ? "-1" : "0",
      "aria-disabled": String(alone),
      onclick: () => { if (!alone) change(cycleToken(changes(), token, states)); } },
    el("i", { "aria-hidden": "true" }), el("span", { class: "name" }, label));
  });
  /** @type {Set<number>} */
  const segments = new Set(input.segments);
  const lines = [...segments].map((segment) => el("div", { class: "line" },
    input.pair ? el("span", { class: `side ${"ab"[segment]}` }, "AB"[segment]) : null,
    el("div", { class: "chips" }, ...chips.filter((_, token) => input.segments[token] === segment))));
  const box = el("div", { class: "box", role: "group", "aria-label": say("tokens") }, ...lines);
  const { element, note } = section({ name: "tokens", title: say("tokens"), actions: [deletion.element] }, box,
    signs(statesOf(false).slice(1).map((state) => [state, sayState(state)])));
  note.textContent = say(attended ? "tokens_note" : "tokens_note_alone");
  roveFocus(box, () => chips, (key, index) => ({ ArrowLeft: index - 1, ArrowRight: index + 1, ArrowUp: index - 1,
    ArrowDown: index + 1, Home: 0, End: chips.length - 1 })[key]);

  const draw = remember((current) => {
    deletion.draw(current);
    chips.forEach((chip, token) => {
      const state = stateName(current, tokenState(current, token));
      if (chip.dataset.state === state) return;
      chip.dataset.state = state;
      const values = { token: `${input.labels[token]} (${token + 1})`, state: sayState(state) };
      chip.title = say("token_described", values);
      chip.setAttribute("aria-label", chip.title);
    });
  });

  return { element, draw: ({ changes: { tokens, deletes } }) => draw({ tokens, deletes }) };
}
