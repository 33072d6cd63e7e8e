// One row of attention as bars: the weights of a query in a head. Dragging a bar rescales the others.

import { button, dropdown } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { roveFocus } from "../shared/keyboard.js";
import { headLabel, tokenName } from "../shared/names.js";
import { percent } from "../shared/numbers.js";
import { byWeight } from "../shared/order.js";
import { remember } from "../shared/remember.js";
import { section } from "../shared/section.js";
import { createBar } from "./bar.js";
import { headState, rowKey, tokenState, withRow } from "./changes.js";
import { renormalise, setWeight } from "./weights.js";

const SHOWN = 20; // keys at a time; of longer inputs the strongest ones, or those that match the search

export function createRow(context) {
  const { input, say, change, changes, store } = context, { tokens } = input;
  const names = Array.from({ length: tokens }, (_, token) => tokenName(input, token));
  const picker = createPicker(context, names);
  const restore = button(say("row_restore"), say("row_restore_help"),
    () => change(withRow(changes(), rowKey(store.get().position), null)));
  const list = el("div", { class: "bars", role: "group", "aria-label": say("row") });
  const { element, note } = section({ name: "row", title: say("row"), actions: [...picker.elements, restore] }, list);
  const bars = [];
  // original: the model's own row; sorted: the one that the keys are in the order of; row: as it is shown; free: whether
  // each key may be attended to.
  /** @type {number[] | null} */
  let original = null;
  /** @type {number[] | null} */
  let sorted = null;
  /** @type {number[]} */
  let row = [];
  /** @type {number[]} */
  let order = [];
  /** @type {boolean[]} */
  let free = [];
  roveFocus(list, () => [...list.children], (key, index) => ({ ArrowUp: index - 1, ArrowDown: index + 1 })[key]);

  const begin = (bar) => (free[bar.key] ? row : null);

  function set(bar, weight, gesture, from) {
    const key = rowKey(store.get().position);
    row = setWeight(from, bar.key, weight, free);
    change(withRow(changes(), key, row), `${gesture} ${key}.${bar.key}`);
  }

  /** Assigns keys to bars; the order does not change while bars are dragged. */
  const arrange = remember((_key, search, _sorted) => {
    order = keysToShow(row, input, search);
    while (bars.length < order.length) bars.push(createBar(begin, set));
    if (list.children.length !== order.length) {
      list.replaceChildren(...bars.slice(0, order.length).map((bar) => bar.element));
    }
    order.forEach((key, index) => bars[index].name(key, names[key]));
    if (![...list.children].some((bar) => bar.tabIndex === 0) && list.firstChild) list.firstChild.tabIndex = 0;
  });

  const showPosition = remember((position) => {
    picker.show(position);
    original = null;
  });

  function notice(state, edited) {
    const { layer, head, query } = state.position;
    if (tokenState(state.changes, query) === "removed") return say("row_removed", { token: names[query] });
    if (headState(state.changes, layer, head) === "masked") return say("row_masked", { head: headLabel(input, layer, head) });
    if (state.search.trim() && !order.length) return say("search_none", { text: state.search.trim() });
    const mass = percent(order.reduce((sum, key) => sum + row[key], 0));
    const part = tokens > SHOWN ? ` ${say("row_part", { shown: order.length, all: tokens, mass })}` : "";
    return say(edited ? "row_edited" : "row_note") + part;
  }

  /** The row to show: the model's or the edited one, without keys that may not be attended to. */
  function updateRow(state, edited, model) {
    const removed = tokenState(state.changes, state.position.query) === "removed";
    const last = input.kind === "causal" ? state.position.query : tokens; // that the query can attend to
    const isFree = (token) => !removed && token <= last && !["removed", "blocked"].includes(tokenState(state.changes, token));
    free = Array.from({ length: tokens }, (_, token) => isFree(token));
    row = removed ? model : renormalise(edited ?? model, free);
  }

  return {
    element,
    draw(state) {
      const key = rowKey(state.position), edited = state.changes.rows[key];
      showPosition(state.position);
      if (state.row?.key === key) original = state.row.weights;
      list.classList.toggle("waiting", !original);
      restore.disabled = !edited;
      const model = original;
      if (!model) return;
      updateRow(state, edited, model);
      if (!edited) sorted = model;
      arrange(key, state.search, sorted);
      note.textContent = notice(state, edited);
      order.forEach((token, index) => bars[index].show(row[token], model[token], free[token]));
    },
  };
}

/** Selects the row, and searches among its keys: `{ elements, show({ layer, head, query }) }`. */
function createPicker({ input, say, store }, names) {
  const { layers, heads, tokens } = input;
  const allHeads = Array.from({ length: layers * heads }, (_, index) => [Math.floor(index / heads), index % heads]);
  const headNames = Object.fromEntries(allHeads.map((entry, index) => [index, headLabel(input, ...entry)]));
  const head = dropdown(say("row_head"), headNames,
    (value) => select({ layer: allHeads[value][0], head: allHeads[value][1] }));
  const query = dropdown(say("row_query"), Object.fromEntries(names.entries()),
    (value) => select({ query: Number(value) }));
  const search = el("input", { type: "search", placeholder: say("search"), "aria-label": say("search"),
    oninput: () => store.set({ search: search.value }) });
  const select = (patch) => store.set({
    position: { ...store.get().position, ...patch }, search: (search.value = "") });
  return {
    elements: [head.element, query.element, ...(tokens > SHOWN ? [search] : [])],
    show(position) {
      head.show(String(position.layer * heads + position.head));
      query.show(String(position.query));
    },
  };
}

function keysToShow(row, { labels }, search) {
  const text = search.trim().toLowerCase();
  if (row.length <= SHOWN) return [...row.keys()];
  if (text) return [...row.keys()].filter((token) => labels[token].toLowerCase().includes(text)).slice(0, SHOWN);
  return byWeight(row, row.keys()).slice(0, SHOWN);
}
