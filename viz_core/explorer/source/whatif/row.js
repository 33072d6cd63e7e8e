// One row of attention as bars: what a query of a head looks at. They are dragged, and the others give way.

import { button, dropdown } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { roveFocus } from "../shared/keyboard.js";
import { memory } from "../shared/memory.js";
import { headName, tokenName } from "../shared/names.js";
import { byWeight } from "../shared/order.js";
import { section } from "../shared/section.js";
import { createBar } from "./bar.js";
import { headState, rowKey, tokenState, withRow } from "./changes.js";
import { percent } from "./numbers.js";
import { renormalise, setWeight } from "./weights.js";

const SHOWN = 20; // keys at a time; of a longer input the strongest ones, or those that are searched for

export function createRow(context) {
  const { input, say, change, changes, store } = context, { tokens } = input, renewed = memory();
  const names = Array.from({ length: tokens }, (_, token) => tokenName(input, token));
  const choice = createChoice(context, names);
  const own = button(say("row_own"), say("row_own_help"),
    () => change(withRow(changes(), rowKey(store.get().place), null)));
  const list = el("div", { class: "bars", role: "group", "aria-label": say("row") });
  const { element, note } = section({ name: "row", title: say("row"), actions: [...choice.elements, own] }, list);
  const bars = [];
  let ofModel = null, order = [], row = null, free = []; // rows: of the model itself, and as it is shown
  roveFocus(list, () => [...list.children], (key, index) => ({ ArrowUp: index - 1, ArrowDown: index + 1 })[key]);

  const begin = (bar) => (row && free[bar.key] ? row : null);

  function set(bar, weight, gesture, from) {
    const key = rowKey(store.get().place);
    row = setWeight(from, bar.key, weight, free);
    change(withRow(changes(), key, row), `${gesture} ${key}.${bar.key}`);
  }

  /** Which keys have a bar. Bars stay where they are while they are dragged. */
  function arrange(search) {
    order = keysToShow(row, input, search);
    while (bars.length < order.length) bars.push(createBar(begin, set));
    if (list.children.length !== order.length) {
      list.replaceChildren(...bars.slice(0, order.length).map((bar) => bar.element));
    }
    order.forEach((key, place) => bars[place].name(key, names[key]));
    if (![...list.children].some((bar) => bar.tabIndex === 0) && list.firstChild) list.firstChild.tabIndex = 0;
  }

  function notice(state, edited) {
    const { layer, head, query } = state.place;
    if (tokenState(state.changes, query) === "removed") return say("row_removed", { token: names[query] });
    if (headState(state.changes, layer, head) === "masked") return say("row_masked", { head: headName(layer, head) });
    if (state.search.trim() && !order.length) return say("search_none", { text: state.search.trim() });
    const mass = percent(order.reduce((sum, key) => sum + row[key], 0));
    const part = tokens > SHOWN ? ` ${say("row_part", { shown: order.length, all: tokens, mass })}` : "";
    return say(edited ? "row_edited" : "row_note") + part;
  }

  /** The row as it is shown: of the model or edited, without the keys that nobody may look at. */
  function take(state, edited) {
    const removed = tokenState(state.changes, state.place.query) === "removed";
    const isFree = (token) => !removed && !["removed", "blocked"].includes(tokenState(state.changes, token));
    free = Array.from({ length: tokens }, (_, token) => isFree(token));
    row = removed ? ofModel : renormalise(edited ?? ofModel, free);
  }

  return {
    element,
    draw(state) {
      const key = rowKey(state.place), edited = state.changes.rows[key];
      if (renewed("place", key)) {
        choice.show(state.place);
        ofModel = null;
      }
      const answer = state.row?.key === key && state.row.weights, fresh = answer && renewed("answer", answer, key);
      if (answer) ofModel = answer;
      list.classList.toggle("waiting", !ofModel);
      own.disabled = !edited;
      if (!ofModel) return;
      take(state, edited);
      if (renewed("order", key, state.search) || (fresh && !edited)) arrange(state.search);
      note.textContent = notice(state, edited);
      order.forEach((token, place) => bars[place].show(row[token], ofModel[token], free[token]));
    },
  };
}

/** Which row is shown, and which of its keys: `{ elements, show(place) }`. */
function createChoice({ input, say, store }, names) {
  const { layers, heads, tokens } = input;
  const places = Array.from({ length: layers * heads }, (_, at) => [Math.floor(at / heads), at % heads]);
  const head = dropdown(say("row_head"), Object.fromEntries(places.map((place, at) => [at, headName(...place)])),
    (value) => choose({ layer: places[value][0], head: places[value][1] }));
  const query = dropdown(say("row_query"), Object.fromEntries(names.entries()),
    (value) => choose({ query: Number(value) }));
  const search = el("input", { type: "search", placeholder: say("search"), "aria-label": say("search"),
    oninput: () => store.set({ search: search.value }) });
  const choose = (patch) => store.set({ place: { ...store.get().place, ...patch }, search: (search.value = "") });
  return {
    elements: [head.element, query.element, ...(tokens > SHOWN ? [search] : [])],
    show(place) {
      head.show(String(place.layer * heads + place.head));
      query.show(String(place.query));
    },
  };
}

function keysToShow(row, { labels }, search) {
  const text = search.trim().toLowerCase();
  if (row.length <= SHOWN) return [...row.keys()];
  if (text) return [...row.keys()].filter((token) => labels[token].toLowerCase().includes(text)).slice(0, SHOWN);
  return byWeight(row, row.keys()).slice(0, SHOWN);
}
