// The line above the views: which head is shown, and what is hovered or selected, in words and numbers;
// and the buttons that compare it with something else, or follow how a weight came about.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { headLabel, tokenName, withName } from "../shared/names.js";
import { remember } from "../shared/remember.js";
import { joinTexts } from "../shared/translator.js";
import { blockMass, canAttend } from "./attention.js";
import { indexRange } from "./cells.js";
import { createHistoryMenu } from "./comparison/history_menu.js";
import { signed } from "./comparison/legend.js";
import { pinnedState } from "./comparison/reference.js";
import { formatWeight } from "./legend.js";
import { selectedSentence, uniformWeight } from "./selected.js";
import { wholeSet } from "./selection.js";

export function createReading(context) {
  const { say, store } = context;
  const title = el("h2"), line = el("p", { class: "line" });
  const spoken = el("p", { class: "spoken", role: "status" }); // announces selections, but not every hover
  const clear = button(say("clear_label"), say("clear"), () => store.set({ query: null, key: null, range: null }),
    { class: "clear" });
  const pin = button(say("pin"), say("pin_help"), () => store.set(pinnedState(context.input, store.get())), { class: "pin" });
  const inside = button(say("inside"), say("inside_help"), () => context.visit.inside(), { class: "inside" });
  const corpus = button(say("other_texts"), say("other_texts_help"), () => context.visit.corpus(), { class: "corpus" });
  const history = createHistoryMenu(context);
  const retry = button(say("retry"), say("retry"), () => (
    store.get().failed === "norms" ? context.showMeasure("norms") : store.set({ failed: false })), { class: "retry" });

  function headsName(selection) {
    const whole = wholeSet(selection, context.input);
    if (!whole) return say("of_some", { heads: selection.map(([layer, head]) => headLabel(context.input, layer, head)).join(", ") });
    const [layer, head] = whole;
    const key = layer === null ? (head === null ? "everything" : "heads") : head === null ? "layer" : "head";
    const name = say(`of_${key}`, { layer: (layer ?? 0) + 1, head: (head ?? 0) + 1 });
    return key === "head" ? withName(name, context.input, layer, head) : name;
  }

  const nameHeads = remember((heads, _names, _kind) => {
    title.textContent = headsName(heads);
    title.title = heads.length > 1 ? "" : say("of_head_short", { layer: heads[0][0] + 1, head: heads[0][1] + 1 });
  });
  const updateHistory = remember((_input) => history.update());

  function describeCell(derived, query, key) {
    const { map, sides, difference } = derived;
    const row = map.rowOf[query], column = map.columnOf[key], at = row * map.keys.length + column;
    const values = { query: tokenName(sides.query, query), key: tokenName(sides.key, key) };
    if (!canAttend(sides, query, key)) return say("cell_unreachable", values);
    if (row < 0 || column < 0) return say("cell_hidden", values);
    const weight = map.weights[at], change = difference?.map.weights[at];
    values.weight = weight.toFixed(4);
    values.uniform = formatWeight(uniformWeight(derived, query, key));
    if (!difference) return say("cell", values);
    if (Number.isNaN(change)) return say("cell_new", values);
    return say("cell_change", { ...values, change: signed(change), before: (weight - change).toFixed(4) });
  }

  /** Whether a single weight is selected, which the page about the inside of attention can follow. */
  function isWeight({ heads, query, key, range, failed }, { sides, map, ...units }) {
    if (!context.visit.inside || failed || !map || range || heads.length > 1 || query === null || key === null) return false;
    return canAttend(sides, units.query, units.key);
  }

  function describe(state, derived) {
    if (state.failed === "norms") return say("failed_norms");
    if (state.range) return describeRange(state.range, derived);
    const { query, key, isSquare } = derived;
    if (query !== null && key !== null) return describeCell(derived, query, key);
    if (!state.present) return describeSelected(state, derived);
    // In a presentation no view says what its rows and columns are.
    const axes = say(isSquare ? "present_axes" : "present_axes_cross");
    return query === null && key === null ? axes : joinTexts(describeSelected(state, derived), axes);
  }

  /** A token, or nothing. */
  function describeSelected(state, derived) {
    const { query, key, token, units, difference } = derived;
    if (query === null && key === null) return say("nothing_selected");
    if (difference && key === null) return say("selected_change", { token: tokenName(units, query) });
    return token === null ? describeAlone(derived) : selectedSentence(say, state, derived);
  }

  /** A key without a query; or a query while the views show what attends to a key. */
  function describeAlone({ sides, query, key, weights }) {
    if (query !== null) return say("query_only", { query: tokenName(sides.query, query) });
    return say("key_only", { key: tokenName(sides.key, key), weight: weights[key].toFixed(4) });
  }

  function describeRange({ queries, keys }, { map, sides }) {
    const rows = indexRange(queries, sides.query, map.rowOf), columns = indexRange(keys, sides.key, map.columnOf);
    if (!rows || !columns) return say("range_hidden");
    const mass = blockMass(map, rows, columns, sides);
    return say("range", { queries: rangeName(queries, sides.query), keys: rangeName(keys, sides.key), mass: mass.toFixed(4) });
  }

  function rangeName([first, last], units) {
    const [from, to] = [units.of[first], units.of[last]];
    if (from === to) return tokenName(units, from);
    return say("from_to", { first: tokenName(units, from), last: tokenName(units, to) });
  }

  return {
    element: el("div", { class: "reading" }, title, line, inside, clear, retry, spoken,
      ...(context.visit.corpus ? [corpus] : []), ...(context.input.kinds ? [] : [pin]), history.element), // translations are not compared
    close: history.close,
    draw(state, derived) {
      updateHistory(context.input);
      nameHeads(state.heads, context.input.names, context.input.kind);
      retry.hidden = !state.failed;
      inside.hidden = !isWeight(state, derived);
      corpus.hidden = state.heads.length > 1 || Boolean(wholeSet(state.heads, context.input)?.includes(null));
      clear.hidden = state.query === null && state.key === null && !state.range;
      if (!derived.map) {
        line.textContent = say(state.failed ? "failed" : "fetching");
        return;
      }
      const description = describe(state, derived);
      line.textContent = state.hover ? describeCell(derived, state.hover.query, state.hover.key) : description;
      line.classList.toggle("hovering", Boolean(state.hover));
      const announced = say("announced", { title: title.textContent, text: description });
      if (!state.hover && spoken.textContent !== announced) spoken.textContent = announced;
    },
  };
}
