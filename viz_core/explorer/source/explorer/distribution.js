// The selected row from its largest weight to its smallest, and how few tokens hold most of it: bars for the eye, and a
// table of the same numbers for whoever cannot see the other views.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { hasModifier } from "../shared/keyboard.js";
import { memory } from "../shared/memory.js";
import { tokenName } from "../shared/names.js";
import { holders, sorted } from "./attention.js";
import { pointed, sideOf } from "./cells.js";
import { createCurve, SHARE } from "./curve.js";
import { stepped } from "./keyboard.js";
import { panel } from "./panel.js";
import { keepScroll } from "./scroll.js";

const FIRST = 15; // rows that are seen before the others are asked for

export function createDistribution(context) {
  const { input, say, store } = context;
  const part = el("p", { class: "part" }), curve = createCurve(context);
  const heads = ["rank", "token", "weight", "mass"].map((column) => (
    el("th", { scope: "col", role: "columnheader", class: column }, say(`column_${column}`))));
  const body = el("tbody", { role: "rowgroup" });
  // Rows are laid out as grids, so that those out of sight cost nothing; the roles keep it a table to a screen reader.
  const table = el("table", { role: "table" }, el("caption", { class: "spoken" }, say("distribution_table")),
    el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, ...heads)), body);
  const rest = el("span"), more = button("", "", () => {
    expanded = !expanded;
    box.scrollTop = 0;
    fill();
  }, { class: "more" });
  const box = el("div", { class: "box" }, table), below = el("div", { class: "below" }, rest, more);
  const columns = el("div", { class: "columns" }, curve.element, el("div", {}, part, box, below));
  const { element, note } = panel(context, "distribution", el("div", { class: "lists" }, columns));
  const lines = [], renewed = memory(), scrollBack = keepScroll(box);
  let rows = [], places = new Map(), total = 0, expanded = false, marked = [], entry = null, now = null, mode = "all";

  /** What is said and drawn of one selection: its units from the largest weight down. */
  function sort({ map, units, weights, query }, direction) {
    mode = query === null ? "all" : direction;
    rows = sorted(weights, mode === "to" ? map.queries : map.keys);
    places = new Map(rows.map(({ unit }, place) => [unit, place]));
    total = rows.at(-1)?.mass ?? 0;
    const leftOut = mode === "to" && map.columnOf[query] < 0;
    note.textContent = leftOut ? say("range_hidden") : headline(units, query);
    part.hidden = mode === "to" || !total || total > 0.9995; // rows sum to 1 unless something is left out of the view
    part.textContent = part.hidden ? "" : say("distribution_part", { mass: percent(1 - total) });
    element.classList.toggle("to", mode === "to"); // columns do not sum to 1: what they add up to would say nothing
    curve.element.hidden = mode === "to" || !total;
    fill();
  }

  function headline(units, query) {
    const values = { count: holders(rows, SHARE), all: rows.length, share: SHARE * 100 };
    if (mode !== "to" && !total) return say("distribution_none");
    if (query !== null) values.token = tokenName(units, query);
    return say(`distribution_${mode}${mode !== "to" && units.count < input.tokens ? "_words" : ""}`, values);
  }

  const percent = (share) => say("percent", { value: (share * 100).toFixed(1) });

  /** Rows are made once and written over: a selection changes only what they say. */
  function fill() {
    const seen = expanded ? rows.length : Math.min(rows.length, FIRST), largest = rows[0]?.weight || 1;
    while (lines.length < seen) lines.push(createLine(lines.length));
    if (body.children.length !== seen) body.replaceChildren(...lines.slice(0, seen).map((line) => line.element));
    for (let place = 0; place < seen; place++) {
      const { unit, weight, mass } = rows[place], line = lines[place];
      line.write("token", tokenName(now.units, unit));
      line.write("weight", weight.toFixed(4));
      line.write("mass", mode === "to" ? "" : percent(mass / (total || 1)));
      line.bar.style.backgroundSize = `${(100 * weight) / largest}% 100%`; // painted again, and nothing laid out
      line.write("side", input.pair ? sideOf(now.units.groups[unit]) : "");
    }
    offer(rows.length - FIRST);
    mark();
  }

  /** The line below: what the rows that are not seen hold, and the button that shows them. */
  function offer(count) {
    below.hidden = count <= 0;
    rest.hidden = expanded;
    if (count > 0) rest.textContent = say(mode === "to" ? "rest_to" : "rest", {
      count, mass: percent((total - rows[FIRST - 1].mass) / (total || 1)) });
    if (!renewed("more", expanded)) return;
    more.textContent = more.title = say(expanded ? "show_less" : "show_rest", { count: FIRST });
    more.setAttribute("aria-label", more.textContent);
    more.setAttribute("aria-expanded", String(expanded));
  }

  function createLine(place) {
    const side = el("span"), bar = el("span", { class: "bar", "aria-hidden": "true" });
    const texts = { side: new Text(), token: new Text(), weight: new Text(), mass: new Text() };
    const cell = (kind, ...parts) => el("td", { role: "cell", class: kind }, ...parts);
    const element = el("tr", { role: "row", tabindex: "-1", "data-place": place },
      cell("rank", String(place + 1)), cell("token", side, el("span", { class: "name" }, texts.token)),
      cell("weight", bar, el("span", { class: "number" }, texts.weight)), cell("mass", texts.mass));
    side.append(texts.side);
    const write = (part, text) => {
      if (texts[part].data === text) return; // a text that is written again is laid out again
      texts[part].data = text;
      if (part === "side") side.className = `side ${text.toLowerCase()}`;
    };
    return { element, bar, write };
  }

  /** The rows of what is selected and pointed at; the one that Tab leads to is the selected key's, or the first. */
  function mark() {
    for (const [line, kind] of marked) line.classList.remove(kind);
    const { hover } = store.get(), lineOf = (unit) => lines[places.get(unit)]?.element;
    marked = [[now.query, "query"], [now.key, "key"], [mode === "to" ? hover?.query : hover?.key, "at"]]
      .map(([unit, kind]) => [lineOf(unit), kind]).filter(([line]) => line);
    for (const [line, kind] of marked) line.classList.add(kind);
    const chosen = lineOf(now.key), next = chosen?.isConnected ? chosen : body.firstElementChild;
    if (next === entry) return;
    if (entry) entry.tabIndex = -1;
    if (next) next.tabIndex = 0;
    entry = next;
  }

  const rowAt = (event) => event.target.closest("tr[data-place]");
  const unitAt = (row) => rows[row.dataset.place].unit;
  const select = (unit) => store.set({ key: unit === null ? null : now.units.first[unit], range: null });
  const toggle = (unit) => select(unit === now.key ? null : unit);

  body.addEventListener("click", (event) => {
    const row = rowAt(event);
    if (row && now.map) toggle(unitAt(row)); // without a map the rows may be of other units
  });
  body.addEventListener("pointerover", (event) => {
    const row = rowAt(event);
    if (!row || !now.map) return;
    store.set({ hover: pointed(now, mode, unitAt(row)) });
    row.title = tokenName(now.units, unitAt(row)); // long names are cut
  });
  body.addEventListener("pointerleave", () => store.set({ hover: null }));
  body.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key], row = rowAt(event);
    if (hasModifier(event) || (!step && event.key !== "Enter")) return;
    event.preventDefault();
    if (!row || !now.map) return;
    if (!step) return toggle(unitAt(row));
    const entering = now.key === null && row === entry && step > 0; // the first press selects the row it finds
    const next = entering ? row : stepped([...body.children], row, step);
    next.focus();
    select(unitAt(next));
  });

  return {
    element,
    draw(state, shown, changed) {
      now = shown;
      if (changed.has("views") || changed.has("size")) scrollBack();
      for (const old of [note, columns]) old.classList.toggle("waiting", !shown.map);
      if (!shown.map) return;
      if (renewed("rows", shown.map, shown.query, state.direction)) sort(shown, state.direction);
      else mark();
      if (mode !== "to") curve.draw(rows, total);
    },
  };
}
