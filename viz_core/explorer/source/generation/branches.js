// Two continuations of the same text: the one that goes on, and one that was kept to compare it with.

/** @import { GenerationResult, GenerationState, ServerRequest } from "../shared/records.js" */

import { el } from "../shared/dom.js";
import { createQueue } from "../shared/queue.js";
import { framesOf } from "./frames.js";
import { EMPTY, firstDifference, grow, summarise } from "./result.js";
import { toRequest } from "./state.js";
import { createWords } from "./words.js";

/**
 * `{ element, take(state, result), follow(state), draw(result, state, selected), busy(), retry(), close() }`. take: the kept
 * continuation is what the page has read already; follow: asks the server once for one that it has not, as of a link.
 *
 * @param {any} say
 * @param {ServerRequest} request
 * @param {{ onselect: (position: number | null) => void, onswap: () => void, ondrop: () => void, ondone: () => void }} events
 */
export function createBranches(say, request, { onselect, onswap, ondrop, ondone }) {
  /** @type {GenerationResult} of the kept continuation */
  let kept = EMPTY;
  let known = "", problem = "";
  const visit = String(Math.random());
  const queue = createQueue(run, (result) => show(result, ""), (sentence) => show(EMPTY, sentence ?? say("no_server")));
  const swap = el("button", { type: "button", class: "exchange", title: say("exchange_help"), onclick: onswap }, say("exchange"));
  const drop = el("button", { type: "button", class: "drop", title: say("drop_help"), onclick: ondrop }, say("drop"));
  const now = createBranch("branch_now", createWords(say, onselect));
  const other = createBranch("branch_kept", createWords(say, null), swap, drop);
  const element = el("div", { class: "branches", hidden: true });

  function createBranch(name, words, ...buttons) {
    const sums = el("p", { class: "note" });
    return {
      element: el("section", { class: name, "aria-label": say(name) }, el("header", {}, el("h2", {}, say(name)), ...buttons), sums,
        words.element),
      draw(result, selected, differs) {
        const { count, logProbability, perplexity } = summarise(result);
        sums.textContent = say("branch_sums", { count, sum: number(logProbability), perplexity: number(perplexity) });
        words.draw(result, selected, { from: result.starts.length, differs });
      },
    };
  }

  const keyOf = ({ text, chat, system, turns, without, kept: tokens }) => JSON.stringify([text, chat, system, turns, without, tokens]);

  async function run(state, signal) {
    let read = EMPTY;
    for await (const frame of framesOf(request, { ...toRequest({ ...state, written: state.kept }), most: 0, visit }, signal)) {
      read = grow(read, frame);
    }
    return read;
  }

  function show(result, sentence) {
    kept = result;
    problem = sentence;
    ondone();
  }

  return {
    element, busy: queue.busy, retry: queue.retry, close: queue.close,
    take(state, result) {
      known = keyOf(state);
      kept = result;
      problem = "";
    },
    follow(state) {
      if (!state.kept.length || keyOf(state) === known) return;
      known = keyOf(state);
      queue.send(state);
    },
    draw(result, state, selected) {
      const isHidden = !state.kept.length;
      if (element.hidden !== isHidden) element.replaceChildren(...(isHidden ? [] : [now.element, other.element]));
      element.hidden = isHidden;
      if (isHidden) return;
      const differs = firstDifference(result, kept);
      now.draw(result, selected, differs);
      other.draw({ ...kept, done: false }, undefined, differs);
      swap.disabled = Boolean(problem) || !kept.steps.length;
      if (problem) other.element.querySelector(".note").textContent = problem;
    },
  };
}

/** `−31.42`, `3.70`; a token of probability 0 makes them infinite. */
const number = (value) => (Number.isFinite(value) ? value.toFixed(2) : String(value)).replace("-", "−").replace("Infinity", "∞");
