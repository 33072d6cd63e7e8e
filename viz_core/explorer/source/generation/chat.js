// The switch to a chat, and the line before its message.

/** @import { GenerationOpening } from "../shared/records.js" */

import { createBoxes } from "../instrument/boxes.js";
import { el } from "../shared/dom.js";

/**
 * `{ element, set(state), draw(state) }`. chat: what the template of the model takes, and how long a text may be. onswitch():
 * to a chat or back. onsystem(line): typed; onrest(): the person is done typing.
 *
 * @param {any} say
 * @param {GenerationOpening} opening
 * @param {(isChat: boolean) => void} onswitch
 * @param {(line: string) => void} onsystem
 * @param {() => void} onrest
 */
export function createChat(say, { chat, limit, most }, onswitch, onsystem, onrest) {
  const text = el("button", { type: "button", title: say("text_help"), onclick: () => onswitch(false) }, say("text"));
  const talk = el("button", { type: "button", class: "talk", title: say("chat_help"), onclick: () => onswitch(true) }, say("chat"));
  const note = el("p", { class: "note" });
  const line = createBoxes({ boxes: [say("system")], examples: [], limit, most }, say, () => onsystem(line.texts()[0]), onrest);
  line.element.classList.add("system");

  return {
    element: el("div", { class: "chat" },
      el("div", { class: "choices", role: "group", "aria-label": say("reads") }, text, talk), note, line.element),
    set: ({ system }) => line.set([system]),
    draw(state) {
      text.parentElement.hidden = !chat.offered && !state.chat;
      text.setAttribute("aria-pressed", String(!state.chat));
      talk.setAttribute("aria-pressed", String(state.chat));
      note.textContent = !state.chat ? chat.problem : chat.offered ? say("chat_note") : ""; // else a notice of the text says it
      note.hidden = !note.textContent;
      line.element.hidden = !state.chat || !(chat.system || state.system);
    },
  };
}
