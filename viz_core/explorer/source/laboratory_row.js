// One row of attention as bars: what a query of a head looks at. They are dragged, and the others give way.

import { name } from "./cells.js";
import { el } from "./dom.js";
import { headState, rowKey, tokenState, withRow } from "./laboratory_changes.js";
import { part, rove } from "./laboratory_focus.js";
import { percent } from "./laboratory_numbers.js";
import { cut, moved, strongest } from "./laboratory_weights.js";
import { memory } from "./memory.js";
import { button, dropdown } from "./panel.js";

const SHOWN = 20; // keys at a time; of a longer input the strongest ones, or those that are searched for
const STEP = 0.01, LEAP = 0.1; // of an arrow key, and with Shift

export function createRow({ input, say, change, changes, store }) {
  const { layers, heads, tokens } = input, renewed = memory();
  const called = Array.from({ length: tokens }, (_, token) => name(input, token));
  const options = Array.from({ length: layers * heads }, (_, at) => [Math.floor(at / heads), at % heads]);
  const head = dropdown(say("row_head"), Object.fromEntries(options.map(([l, h], at) => [at, `${l + 1}.${h + 1}`])),
    (value) => choose({ layer: options[value][0], head: options[value][1] }));
  const query = dropdown(say("row_query"), Object.fromEntries(called.entries()),
    (value) => choose({ query: Number(value) }));
  const search = el("input", { type: "search", placeholder: say("search"), "aria-label": say("search"),
    oninput: () => store.set({ search: search.value }) });
  const own = button(say("row_own"), say("row_own_help"),
    () => change(withRow(changes(), rowKey(store.get().chosen), null)));
  const list = el("div", { class: "bars", role: "group", "aria-label": say("row") });
  const beside = [head.element, query.element, tokens > SHOWN ? search : null, own];
  const { element, note } = part("row", say("row"), beside, list);
  const bars = [];
  let found = null, order = [], row = null, free = [], drag = null, drags = 0;

  const choose = (patch) => store.set({ chosen: { ...store.get().chosen, ...patch }, search: (search.value = "") });

  function createBar() {
    const label = el("span", { class: "name" }), fill = el("i", { class: "fill" }), before = el("i", { class: "before" });
    const weight = el("span", { class: "weight" }), track = el("span", { class: "track" }, fill, before);
    const element = el("div", { class: "bar", role: "slider", tabindex: "-1", "aria-valuemin": "0", "aria-valuemax": "1" },
      label, track, weight);
    const bar = { element, label, fill, before, weight, track, key: 0 };
    const point = (event) => {
      const box = track.getBoundingClientRect();
      set(bar.key, (event.clientX - box.left) / box.width, drag.gesture, drag.row);
    };
    track.addEventListener("pointerdown", (event) => {
      if (!row || !free[bar.key] || event.button) return;
      event.preventDefault();
      element.focus();
      track.setPointerCapture(event.pointerId);
      drag = { gesture: `drag ${++drags}`, row };
      point(event);
    });
    track.addEventListener("pointermove", (event) => {
      if (drag && track.hasPointerCapture(event.pointerId)) point(event);
    });
    for (const end of ["pointerup", "pointercancel"]) track.addEventListener(end, () => { drag = null; });
    element.addEventListener("keydown", (event) => press(bar.key, event));
    return bar;
  }

  /** Sideways and to the ends: the weight; up and down lead to the next bar. */
  function press(key, event) {
    if (!row || !free[key] || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = event.shiftKey ? LEAP : STEP;
    const to = { ArrowLeft: row[key] - step, ArrowRight: row[key] + step, Home: 0, End: 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    set(key, to, `keys ${rowKey(store.get().chosen)}.${key}`, row);
  }

  function set(key, weight, gesture, from) {
    row = moved(from, key, weight, free);
    change(withRow(changes(), rowKey(store.get().chosen), row), gesture);
  }

  rove(list, () => [...list.children], (key, index) => ({ ArrowUp: index - 1, ArrowDown: index + 1 })[key]);

  /** Which keys have a bar. Bars stay where they are while they are dragged. */
  function arrange(wanted) {
    const all = Array.from({ length: tokens }, (_, token) => token), text = wanted.trim().toLowerCase();
    if (tokens <= SHOWN) order = all;
    else if (text) order = all.filter((token) => input.labels[token].toLowerCase().includes(text)).slice(0, SHOWN);
    else order = strongest(row, SHOWN);
    while (bars.length < order.length) bars.push(createBar());
    if (list.children.length !== order.length) {
      list.replaceChildren(...bars.slice(0, order.length).map((bar) => bar.element));
    }
    order.forEach((key, place) => {
      bars[place].key = key;
      bars[place].label.textContent = called[key];
      bars[place].element.setAttribute("aria-label", called[key]);
    });
    if (![...list.children].some((one) => one.tabIndex === 0) && list.firstChild) list.firstChild.tabIndex = 0;
  }

  function paint() {
    for (const bar of bars.slice(0, order.length)) {
      const weight = row[bar.key];
      bar.fill.style.width = `${100 * weight}%`;
      bar.before.style.left = `${100 * found[bar.key]}%`;
      bar.weight.textContent = weight.toFixed(3);
      bar.element.setAttribute("aria-valuenow", weight.toFixed(3));
      bar.element.setAttribute("aria-disabled", String(!free[bar.key]));
    }
  }

  function said(state, edited) {
    const { layer, head: number, query: token } = state.chosen;
    if (tokenState(state.changes, token) === "removed") return say("row_removed", { token: called[token] });
    if (headState(state.changes, layer, number) === "masked") {
      return say("row_masked", { head: `${layer + 1}.${number + 1}` });
    }
    if (state.search.trim() && !order.length) return say("search_none", { text: state.search.trim() });
    const shown = order.reduce((sum, key) => sum + row[key], 0);
    const part = tokens > SHOWN ? ` ${say("row_part", { shown: order.length, all: tokens, mass: percent(shown) })}` : "";
    return say(edited ? "row_edited" : "row_note") + part;
  }

  return {
    element,
    draw(state) {
      const key = rowKey(state.chosen), edited = state.changes.rows[key];
      if (renewed("chosen", key)) {
        head.show(String(state.chosen.layer * heads + state.chosen.head));
        query.show(String(state.chosen.query));
        found = null;
      }
      const answer = state.row?.key === key && state.row.weights, fresh = answer && renewed("found", answer, key);
      if (answer) found = answer;
      list.classList.toggle("waiting", !found);
      own.disabled = !edited;
      if (!found) return;
      const gone = tokenState(state.changes, state.chosen.query) === "removed";
      free = Array.from({ length: tokens }, (_, token) => (
        !gone && !["removed", "blocked"].includes(tokenState(state.changes, token))));
      row = gone ? found : cut(edited ?? found, free);
      if (renewed("order", key, state.search) || (fresh && !edited)) arrange(state.search);
      note.textContent = said(state, edited);
      paint();
    },
  };
}
