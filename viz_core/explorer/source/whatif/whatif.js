// What if a head, a token or a row of attention were otherwise? All that can be changed, and the answer that follows at once.

import { el } from "../shared/dom.js";
import { createStore } from "../shared/store.js";
import { applyTheme } from "../shared/theme.js";
import { translator } from "../shared/translator.js";
import { createAnswer } from "./answer.js";
import { createHistory, isChanged, NOTHING, toRequest } from "./changes.js";
import { createHeads } from "./heads.js";
import { createRow } from "./row.js";
import { createRequests, fetchEffects } from "./server.js";
import { createTokens } from "./tokens.js";

const REST = 300; // ms without a change: from then on random heads are asked for

/**
 * Draws what-if of an input into `root`. earlier: what `remember()` gave of the same input, to go on from there.
 * `data-settled` on the root: whether all that was asked for is drawn.
 */
export function openWhatIf(root, input, earlier = null) {
  const say = translator(input.catalogue), history = earlier?.history ?? createHistory();
  const [layer, head, query] = input.row;
  const store = createStore({ changes: history.now(), place: { layer, head, query }, search: "", answer: null, row: null,
    control: null, failure: null, effects: null, ...earlier?.seen }, draw);
  const requests = createRequests(input, showAnswer, showFailure);
  const change = (changes, gesture) => store.set({ changes: history.record(changes, gesture), control: null });
  const acts = actsOf(history, store, change, () => ask());
  const context = { input, say, change, acts, store, changes: () => store.get().changes };
  const answer = createAnswer(context);
  const parts = { heads: createHeads(context), tokens: createTokens(context), row: createRow(context) };
  const listen = (event) => press(event, acts);
  let resting = 0;
  applyTheme(root, input.theme);
  root.lang = input.language;
  root.replaceChildren(answer.element, answer.words, el("div", { class: "parts" }, parts.heads.element,
    el("div", { class: "column" }, parts.tokens.element, parts.row.element)));
  root.addEventListener("keydown", listen);

  function draw(state, names) {
    for (const part of [answer, ...Object.values(parts)]) part.draw(state);
    root.dataset.drawn = "true";
    if (names.has("changes") || names.has("place")) ask();
    else settle();
  }

  function ask(control = false) {
    clearTimeout(resting);
    resting = 0;
    const { changes, place } = store.get();
    requests.send({ ...toRequest(changes), row: [place.layer, place.head, place.query], control });
    settle();
  }

  function showAnswer({ probabilities, answer, row, control }, question) {
    const heads = Object.keys(store.get().changes.heads).length;
    store.set({ answer: { probabilities, answer }, row: { key: question.row.join("."), weights: row }, failure: null,
      ...(question.control ? { control: control ?? {} } : {}) });
    if (heads && !question.control && !requests.busy()) resting = setTimeout(() => ask(true), REST);
    store.touch("answered");
  }

  /** sentence: why the server refused; null where it did not answer at all. */
  function showFailure(sentence) {
    store.set({ failure: sentence ?? "" });
    store.touch("answered");
  }

  function settle() {
    const settled = !requests.busy() && !resting;
    if (settled && root.dataset.settled !== "true") answer.speak();
    root.dataset.settled = String(settled);
  }

  store.touch("changes");
  if (!store.get().effects) {
    fetchEffects(input).then((effects) => store.set({ effects }), (error) => console.error(error));
  }
  return {
    remember() {
      const { place, answer, row, control, effects } = store.get();
      return { history, seen: { place, answer, row, control, effects } };
    },
    close() {
      clearTimeout(resting);
      requests.close();
      store.close();
      root.removeEventListener("keydown", listen);
    },
  };
}

/** The way back and forth; `can()`: which of them can be done now. */
function actsOf(history, store, change, retry) {
  const go = (step) => () => store.set({ changes: history[step](), control: null });
  return {
    undo: go("undo"), redo: go("redo"), retry,
    reset: () => { if (isChanged(history.now())) change(NOTHING); },
    can: () => ({ undo: history.canUndo(), redo: history.canRedo(), reset: isChanged(history.now()) }),
  };
}

function press(event, acts) {
  const typing = event.target.tagName === "INPUT", command = event.ctrlKey || event.metaKey, key = event.key.toLowerCase();
  if (!command) return event.stopPropagation(); // the page around has keys of its own
  if (typing || event.altKey || !["z", "y"].includes(key)) return undefined;
  event.preventDefault();
  event.stopPropagation();
  return acts[key === "y" || event.shiftKey ? "redo" : "undo"]();
}
