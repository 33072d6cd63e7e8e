// What if a head, a token or a row of attention were different? Everything that can be changed, and the resulting
// prediction.

/** @import { WhatIfInput } from "../shared/records.js" */

import { el } from "../shared/dom.js";
import { remember } from "../shared/remember.js";
import { createStore } from "../shared/store.js";
import { applyTheme } from "../shared/theme.js";
import { translator } from "../shared/translator.js";
import { createHistory, fromRequest, isChanged, NOTHING, toRequest } from "./changes.js";
import { createHeads } from "./heads.js";
import { createMeasure } from "./measure.js";
import { createPrediction } from "./prediction.js";
import { createRow } from "./row.js";
import { createRequests, fetchEffects } from "./server.js";
import { createTokens } from "./tokens.js";

const IDLE = 300; // ms without a change before the comparison with other heads is requested
const REST = 600; // ms without a change before the page hears of it

/**
 * Draws what-if for an input into `root`. report(fields): tells the page at rest what is changed, as fields of a request.
 * earlier: what `remember()` returned for the same input, to resume from. `data-idle` on the root: whether everything
 * requested is drawn.
 *
 * @param {HTMLElement} root
 * @param {WhatIfInput} input
 * @param {(fields: object) => void} [report]
 * @param {{ history: ReturnType<typeof createHistory>, state: object } | null} [earlier]
 */
export function openWhatIf(root, input, report = (_fields) => {}, earlier = null) {
  const say = translator(input.catalogue), history = earlier?.history ?? createHistory(fromRequest(input.changes));
  const [layer, head, query] = input.row ?? []; // none in a model without attention
  const store = createStore({ changes: history.current(), position: { layer, head, query }, search: "", result: null,
    row: null, control: null, failure: null, effects: null, ...earlier?.state }, draw);
  const requests = createRequests(input, showResponse, showFailure, ({ control }) => request(control));
  const change = (changes, gesture) => store.set({ changes: history.record(changes, gesture), control: null });
  const actions = createActions(history, store, change, () => request());
  const measure = createMeasure(input, say), context = { input, say, measure, change, actions, store, changes: () => store.get().changes };
  const prediction = createPrediction(context);
  const tokens = createTokens(context), row = input.row && createRow(context), heads = input.row && createHeads(context);
  const parts = [prediction, tokens, heads, row];
  const listen = (event) => press(event, actions);
  let timer = 0, restTimer = 0;
  const tell = remember(report, fieldsOf(fromRequest(input.changes), { layer, head, query }));
  const requestNext = remember((_changes, _position) => request());
  applyTheme(root, input.theme);
  root.lang = input.language;
  root.replaceChildren(prediction.element, prediction.words, el("div", { class: "parts" },
    heads?.element ?? null, el("div", { class: "column" }, tokens.element, row?.element ?? null)));
  root.addEventListener("keydown", listen);

  function draw(state) {
    for (const part of parts) part?.draw(state);
    root.dataset.drawn = "true";
    requestNext(state.changes, state.position);
    updateIdle();
  }

  function request(control = false) {
    clearTimeout(timer);
    clearTimeout(restTimer);
    timer = 0;
    restTimer = setTimeout(rest, REST);
    const { changes, position } = store.get();
    requests.send({ ...fieldsOf(changes, position), control });
    updateIdle();
  }

  function rest() {
    const { changes, position } = store.get();
    tell(fieldsOf(changes, position));
  }

  function showResponse({ row: weights, control, ...response }, sent) {
    const changed = Object.keys(store.get().changes.heads).length;
    store.set({ result: { value: measure.value(/** @type {any} */ (response)), predicted: response.predicted,
      likeliest: response.likeliest }, failure: null,
      ...(weights ? { row: { key: sent.row.join("."), weights } } : {}), ...(sent.control ? { control: control ?? {} } : {}) });
    if (changed && !sent.control && !requests.busy()) timer = setTimeout(() => request(true), IDLE);
    store.touch();
  }

  /** message: why the server refused; null if it did not respond. */
  function showFailure(message) {
    store.set({ failure: message ?? "" });
    store.touch();
  }

  function updateIdle() {
    const idle = !requests.busy() && !timer;
    if (idle && root.dataset.idle !== "true") prediction.announce();
    root.dataset.idle = String(idle);
  }

  store.touch();
  if (heads && !store.get().effects) {
    fetchEffects(input).then((effects) => store.set({ effects }), (error) => console.error(error));
  }
  return {
    remember() {
      const { position, result, row, control, effects } = store.get();
      return { history, state: { position, result, row, control, effects } };
    },
    close() {
      clearTimeout(timer);
      clearTimeout(restTimer);
      requests.close();
      store.close();
      root.removeEventListener("keydown", listen);
    },
  };
}

/** The changes and the row that is shown, if any, as fields of a request. */
const fieldsOf = (changes, { layer, head, query }) => (
  { ...toRequest(changes), ...(query === undefined ? {} : { row: [layer, head, query] }) });

/** Undo, redo, reset and retry; `can()`: which of them are possible now. */
function createActions(history, store, change, retry) {
  const go = (step) => () => store.set({ changes: history[step](), control: null });
  return {
    undo: go("undo"), redo: go("redo"), retry,
    reset: () => { if (isChanged(history.current())) change(NOTHING); },
    can: () => ({ undo: history.canUndo(), redo: history.canRedo(), reset: isChanged(history.current()) }),
  };
}

function press(event, actions) {
  const typing = event.target.tagName === "INPUT", command = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (!command) return event.stopPropagation(); // Streamlit has shortcuts of its own
  if (typing || event.altKey || !["z", "y"].includes(key)) return undefined;
  event.preventDefault();
  event.stopPropagation();
  return actions[key === "y" || event.shiftKey ? "redo" : "undo"]();
}
