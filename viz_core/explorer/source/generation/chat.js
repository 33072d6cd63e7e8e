// The switch to a chat, the line before its messages, and what was said so far.

/** @import { GenerationOpening, GenerationState } from "../shared/records.js" */

import { createBoxes } from "../instrument/boxes.js";
import { el } from "../shared/dom.js";
import { remember } from "../shared/remember.js";
import { joinTexts } from "../shared/translator.js";
import { linkOfTurns } from "./state.js";

/**
 * `{ element, set(state), draw(state) }`. chat: what the template of the model takes, and how long a text may be. onswitch():
 * to a chat or back. onsystem(line): typed; onrest(): the person is done typing. onedit(place): back to this turn.
 *
 * @param {any} say
 * @param {GenerationOpening} opening
 * @param {(isChat: boolean) => void} onswitch
 * @param {(line: string) => void} onsystem
 * @param {() => void} onrest
 * @param {(place: number) => void} onedit
 */
export function createChat(say, { chat, limit, most }, onswitch, onsystem, onrest, onedit) {
  const text = el("button", { type: "button", title: say("text_help"), onclick: () => onswitch(false) }, say("text"));
  const talk = el("button", { type: "button", class: "talk", title: say("chat_help"), onclick: () => onswitch(true) }, say("chat"));
  const note = el("p", { class: "note" });
  const line = createBoxes({ boxes: [say("system")], examples: [], limit, most }, say, () => onsystem(line.texts()[0]), onrest);
  line.element.classList.add("system");
  const earlier = el("ol", { class: "turns", "aria-label": say("turns") });
  const unlinked = el("p", { class: "note unlinked" });

  function createTurn({ message, answer }, place) {
    const edit = el("button", { type: "button", class: "edit", title: say("edit_turn_help"), onclick: () => onedit(place) }, say("edit_turn"));
    const said = (role, text, ...others) => el("li", { class: role },
      el("span", { class: "label" }, say(`role_${role}`)), el("span", { class: "said", dir: "auto" }, text), ...others);
    return [said("user", message, edit), said("answer", answer)];
  }

  const drawTurns = remember((/** @type {GenerationState["turns"]} */ turns) => {
    earlier.replaceChildren(...turns.flatMap(createTurn));
    const count = [...linkOfTurns(turns)].length;
    unlinked.textContent = count > limit ? say("turns_not_in_link", { count, limit }) : "";
    earlier.scrollTop = earlier.scrollHeight;
  });

  return {
    element: el("div", { class: "chat" },
      el("div", { class: "choices", role: "group", "aria-label": say("reads") }, text, talk), note, line.element, earlier, unlinked),
    set: ({ system }) => line.set([system]),
    draw(state) {
      text.parentElement.hidden = !chat.offered && !state.chat;
      text.setAttribute("aria-pressed", String(!state.chat));
      talk.setAttribute("aria-pressed", String(state.chat));
      note.textContent = !state.chat ? chat.problem : chat.offered // else a notice of the text says it
        ? joinTexts(say("chat_note"), ...(chat.turns ? [] : [say("chat_one_turn")])) : "";
      note.hidden = !note.textContent;
      drawTurns(state.turns);
      earlier.hidden = !state.chat || !state.turns.length;
      unlinked.hidden = earlier.hidden || !unlinked.textContent;
      line.element.hidden = !state.chat || !(chat.system || state.system);
    },
  };
}
