// What can be done with the text: going on, taking back, keeping a continuation, the explorer.

import { el } from "../shared/dom.js";

const MORE = 24; // tokens that are written at once

/**
 * `{ element, draw({ isWriting, isRefused, canWrite, canUndo, canReply, canKeep, canExplore }) }`. canReply: null where there
 * is no chat of several turns.
 *
 * @param {any} say
 * @param {{ onwrite: (count: number) => void, onstop: () => void, onundo: () => void, onreply: () => void, onkeep: () => void, onexplore: () => void }} events
 */
export function createButtons(say, { onwrite, onstop, onundo, onreply, onkeep, onexplore }) {
  const button = (name, onclick, label, title = null) => el("button", { type: "button", class: name, title, onclick }, label);
  const write = button("write", () => onwrite(MORE), say("write"), say("write_help", { count: MORE }));
  const one = button("one", () => onwrite(1), say("write_one")), stop = button("stop", onstop, say("stop"));
  const reply = button("reply", onreply, say("reply"), say("reply_help"));
  const undo = button("undo", onundo, say("undo")), hold = button("hold", onkeep, say("keep"), say("keep_help"));
  const explore = button("explore", onexplore, say("explore"), say("explore_help"));
  return {
    element: el("div", { class: "buttons" }, write, one, stop, reply, undo, hold, explore),
    draw({ isWriting, isRefused, canWrite, canUndo, canReply, canKeep, canExplore }) {
      stop.hidden = !isWriting;
      write.hidden = one.hidden = isWriting;
      write.disabled = one.disabled = isRefused || !canWrite;
      reply.hidden = canReply === null;
      reply.disabled = isRefused || !canReply;
      undo.disabled = !canUndo;
      hold.disabled = isRefused || !canKeep;
      explore.disabled = isRefused || !canExplore;
    },
  };
}
