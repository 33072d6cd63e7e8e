// The laboratory: heads, tokens and a row that can be changed, and the answer that follows at once.

import { el, translator } from "./dom.js";
import { createAnswer } from "./laboratory_answer.js";
import { createHistory, isChanged, NOTHING, toRequest } from "./laboratory_changes.js";
import { createHeads } from "./laboratory_heads.js";
import { createRow } from "./laboratory_row.js";
import { createAsker, fetchEffects } from "./laboratory_server.js";
import { createTokens } from "./laboratory_tokens.js";
import { createStore } from "./store.js";
import { applyTheme } from "./theme.js";

const REST = 300; // ms without a change: from then on random heads are asked for

/**
 * Draws the laboratory of an input into `root`. kept: what `keep()` gave of the same input, to go on from there.
 * `data-settled` on the root: whether all that was asked for is drawn.
 */
export function openBench(root, input, kept = null) {
  const say = translator(input.catalogue), history = kept?.history ?? createHistory();
  const [layer, head, query] = input.chosen;
  const store = createStore({ changes: history.now(), chosen: { layer, head, query }, search: "", answer: null, row: null,
    control: null, failure: null, effects: null, ...kept?.seen }, draw);
  const asker = createAsker(input, answered, failed);
  const change = (changes, gesture) => store.set({ changes: history.did(changes, gesture), control: null });
  const back = (step) => () => store.set({ changes: history[step](), control: null });
  const acts = {
    undo: back("undo"), redo: back("redo"), retry: () => ask(),
    reset: () => { if (isChanged(history.now())) change(NOTHING); },
    can: () => ({ undo: history.canUndo(), redo: history.canRedo(), reset: isChanged(history.now()) }),
  };
  const context = { input, say, store, change, acts, changes: () => store.get().changes };
  const answer = createAnswer(context), parts = [answer, createHeads(context), createTokens(context), createRow(context)];
  let resting = 0;
  applyTheme(root, input.theme);
  root.style.setProperty("--first", input.theme.classes[0]);
  root.style.setProperty("--last", input.theme.classes[1]);
  root.lang = input.language;
  root.replaceChildren(answer.element, answer.words, el("div", { class: "bench" }, parts[1].element,
    el("div", { class: "column" }, parts[2].element, parts[3].element)));
  root.addEventListener("keydown", listen);

  function draw(state, names) {
    for (const one of parts) one.draw(state);
    root.dataset.drawn = "true";
    if (names.has("changes") || names.has("chosen")) ask();
    else settle();
  }

  function ask(control = false) {
    clearTimeout(resting);
    resting = 0;
    const { layer, head, query } = store.get().chosen;
    asker.ask({ ...toRequest(store.get().changes), row: [layer, head, query], control });
    settle();
  }

  function answered(found, question) {
    const key = question.row.join("."), heads = Object.keys(store.get().changes.heads).length;
    store.set({ answer: { probabilities: found.probabilities, answer: found.answer }, row: { key, weights: found.row },
      failure: null, ...(question.control ? { control: found.control ?? {} } : {}) });
    if (heads && !question.control && !asker.busy()) resting = setTimeout(() => ask(true), REST);
    store.touch("answered");
  }

  /** sentence: why the server refused; null where it did not answer at all. */
  function failed(sentence) {
    store.set({ failure: sentence ?? "" });
    store.touch("answered");
  }

  function settle() {
    const settled = !asker.busy() && !resting;
    if (settled && root.dataset.settled !== "true") answer.speak();
    root.dataset.settled = String(settled);
  }

  function listen(event) {
    const typing = event.target.tagName === "INPUT", command = event.ctrlKey || event.metaKey, key = event.key.toLowerCase();
    if (!command) return event.stopPropagation(); // the page around has keys of its own
    if (typing || event.altKey || !["z", "y"].includes(key)) return;
    event.preventDefault();
    event.stopPropagation();
    acts[key === "y" || event.shiftKey ? "redo" : "undo"]();
  }

  store.touch("changes");
  if (!store.get().effects) {
    fetchEffects(input).then((effects) => store.set({ effects }), (error) => console.error(error));
  }
  return {
    keep() {
      const { chosen, answer, row, control, effects } = store.get();
      return { history, seen: { chosen, answer, row, control, effects } };
    },
    close() {
      clearTimeout(resting);
      asker.close();
      store.close();
      root.removeEventListener("keydown", listen);
    },
  };
}
