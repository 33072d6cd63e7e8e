// The selected row from its largest weight to its smallest, and how few tokens hold most of it: bars for the eye, and a
// table of the same numbers for whoever cannot see the other views.

import { holders, sorted } from "./attention.js";
import { el, prepared } from "./dom.js";
import { stepped } from "./keyboard.js";
import { button, panel } from "./panel.js";
import { name } from "./reading.js";
import { memory, pointed, sided } from "./text.js";

const FIRST = 15; // rows that are seen before the others are asked for
const SHARE = 0.9; // of the weight, that the sentence and the curve speak of
const HIGH = 7; // times the height of the type: the curve
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500]; // between the counts below it

export function createDistribution(context) {
  const { input, say, store } = context;
  const part = el("p", { class: "part" }), curve = createCurve(context);
  const heads = ["rank", "token", "weight", "mass"].map((column) => el("th", { scope: "col", class: column }, say(`column_${column}`)));
  const body = el("tbody");
  const table = el("table", {}, el("caption", { class: "spoken" }, say("distribution_table")),
    el("thead", {}, el("tr", {}, ...heads)), body);
  const rest = el("span"), more = button("", "", () => {
    expanded = !expanded;
    fill();
  }, { class: "more" });
  const box = el("div", { class: "box" }, table), below = el("div", { class: "below" }, rest, more);
  const { element, note } = panel(context, "distribution", el("div", { class: "lists" },
    el("div", { class: "columns" }, curve.element, el("div", {}, part, box, below))));
  const lines = [], renewed = memory();
  let rows = [], places = new Map(), total = 0, expanded = false, marked = [], now = null, mode = "all";

  /** What is said and drawn of one selection: its units from the largest weight down. */
  function sort({ map, units, weights, query }, direction) {
    mode = query === null ? "all" : direction;
    rows = sorted(weights, mode === "to" ? map.queries : map.keys);
    places = new Map(rows.map(({ unit }, place) => [unit, place]));
    total = rows.at(-1)?.mass ?? 0;
    const left = mode === "to" && map.columnOf[query] < 0;
    note.textContent = left ? say("range_hidden") : headline(units, query);
    part.hidden = mode === "to" || total > 0.9995; // rows sum to 1 unless something is left out of the view
    part.textContent = part.hidden ? "" : say("distribution_part", { mass: percent(1 - total) });
    table.classList.toggle("no-mass", mode === "to"); // columns do not sum to 1: their sums would say nothing
    curve.element.hidden = mode === "to" || !total;
    fill();
  }

  function headline(units, query) {
    const values = { count: holders(rows, SHARE), all: rows.length, share: SHARE * 100 };
    if (query !== null) values.token = name(units, query);
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
      line.write("token", name(now.units, unit));
      line.write("weight", weight.toFixed(4));
      line.write("mass", mode === "to" ? "" : percent(mass / (total || 1)));
      line.bar.style.transform = `scaleX(${weight / largest})`;
      sided(line.side, input, now.units.groups[unit]);
    }
    const count = rows.length - FIRST;
    below.hidden = count <= 0;
    rest.hidden = expanded;
    if (count > 0) rest.textContent = say(mode === "to" ? "rest_to" : "rest", {
      count, mass: percent((total - rows[FIRST - 1].mass) / (total || 1)) });
    more.textContent = expanded ? say("show_less", { count: FIRST }) : say("show_rest");
    more.title = more.textContent;
    more.setAttribute("aria-label", more.textContent);
    more.setAttribute("aria-expanded", String(expanded));
    box.scrollTop = expanded ? box.scrollTop : 0;
    mark();
  }

  function createLine(place) {
    const side = el("span"), bar = el("i"), said = {};
    const texts = { token: el("span", { class: "name" }), weight: el("span", { class: "number" }), mass: el("td", { class: "mass" }) };
    const element = el("tr", { tabindex: "-1", "data-place": place },
      el("td", { class: "rank" }, String(place + 1)), el("td", { class: "token" }, side, texts.token),
      el("td", { class: "weight" }, el("div", {}, el("span", { class: "track", "aria-hidden": "true" }, bar), texts.weight)),
      texts.mass);
    const write = (part, text) => {
      if (said[part] !== text) texts[part].textContent = said[part] = text;
    };
    return { element, side, bar, write };
  }

  /** The rows of what is selected and pointed at; the one that Tab leads to is the selected key's, or the first. */
  function mark() {
    for (const [line, kind] of marked) line.classList.remove(kind);
    const { hover } = store.get(), lineOf = (unit) => lines[places.get(unit)]?.element;
    marked = [[now.query, "query"], [now.key, "key"], [mode === "to" ? hover?.query : hover?.key, "at"]]
      .map(([unit, kind]) => [lineOf(unit), kind]).filter(([line]) => line);
    for (const [line, kind] of marked) line.classList.add(kind);
    for (const line of body.querySelectorAll('[tabindex="0"], [aria-selected]')) {
      line.tabIndex = -1;
      line.removeAttribute("aria-selected");
    }
    const chosen = lineOf(now.key);
    chosen?.setAttribute("aria-selected", "true");
    const entry = chosen?.isConnected ? chosen : body.firstElementChild;
    if (entry) entry.tabIndex = 0;
  }

  const rowAt = (event) => event.target.closest("tr[data-place]");
  const unitAt = (row) => row && rows[row.dataset.place].unit;
  const select = (unit) => store.set({ key: unit === null ? null : now.units.first[unit], range: null });
  const toggle = (unit) => select(unit === now.key ? null : unit);

  body.addEventListener("click", (event) => toggle(unitAt(rowAt(event))));
  body.addEventListener("pointerover", (event) => {
    const row = rowAt(event), unit = unitAt(row);
    store.set({ hover: pointed(now, mode, unit) });
    if (row) row.title = name(now.units, unit); // long names are cut
  });
  body.addEventListener("pointerleave", () => store.set({ hover: null }));
  body.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key], row = rowAt(event);
    if (event.altKey || event.ctrlKey || event.metaKey || !row || (!step && event.key !== "Enter")) return;
    event.preventDefault();
    if (!step) return toggle(unitAt(row));
    const next = now.key === null && row.tabIndex === 0 && step > 0 ? row : stepped([...body.children], row, step);
    next.focus();
    select(unitAt(next));
  });

  return {
    element,
    draw(state, shown) {
      now = shown;
      element.classList.toggle("fetching", !shown.map);
      if (!shown.map) return;
      if (renewed("rows", shown.map, shown.query, state.direction)) sort(shown, state.direction);
      else mark();
      curve.draw(rows, total);
    },
  };
}

/** How the weight adds up from the largest on: the steeper, the fewer tokens matter. Said by the sentence above it. */
function createCurve({ input, say }) {
  const { theme } = input, size = theme.small, high = size * HIGH, top = size * 1.9;
  const canvas = el("canvas"), element = el("div", { class: "curve", "aria-hidden": "true" }, canvas);
  const renewed = memory(), said = (share) => say("percent", { value: Math.round(share * 100) });

  function paint(rows, total, width) {
    const enough = holders(rows, SHARE), pen = prepared(canvas, width, top + high + size * 3.2);
    pen.font = `600 ${size}px ${theme.font}`;
    const left = Math.ceil(pen.measureText(said(1)).width) + 8, right = width - size * 1.2;
    const x = (count) => left + (count / rows.length) * (right - left), y = (share) => top + (1 - share) * high;
    const points = [[left, y(0)], ...rows.map(({ mass }, index) => [x(index + 1), y(mass / total)])];
    frame(pen, left, right, y);
    counts(pen, x, y(0) + size * 1.35, rows.length, enough);
    area(pen, points, y(0));
    found(pen, ...points[enough], left, y(0));
  }

  /** The axes with their names, and the line that the curve would be if every token had the same weight. */
  function frame(pen, left, right, y) {
    pen.strokeStyle = theme.line;
    pen.strokeRect(Math.round(left) + 0.5, Math.round(top) + 0.5, Math.round(right - left), high);
    path(pen, [[left, y(0)], [right, y(1)]]);
    pen.stroke();
    pen.textBaseline = "alphabetic";
    pen.textAlign = "right";
    pen.fillText(said(SHARE), left - 6, y(SHARE) + size * 0.35);
    pen.font = `${size}px ${theme.font}`;
    pen.fillStyle = theme.muted;
    for (const share of [0, 0.5]) pen.fillText(said(share), left - 6, y(share) + (share ? size * 0.35 : 0));
    pen.fillText(say("curve_count"), right, y(0) + size * 2.9);
    pen.fillText(say("curve_alike"), right - size * 0.6, y(0) - size * 0.6);
    pen.textAlign = "left";
    pen.fillText(say("curve_mass"), 0, size);
  }

  /** The count that was found, and of the round ones those that leave it room. */
  function counts(pen, x, down, all, enough) {
    const room = pen.measureText(String(all)).width + size * 0.8, step = STEPS.find((one) => x(one) - x(0) > room * 1.5);
    pen.textAlign = "center";
    for (let count = step; count < all; count += step) {
      const free = [all, enough].every((other) => Math.abs(x(other) - x(count)) > room);
      if (free) pen.fillText(String(count), x(count), down);
    }
    if (x(all) - x(enough) > room) pen.fillText(String(all), x(all), down);
    pen.fillStyle = theme.ink;
    pen.font = `600 ${size}px ${theme.font}`;
    pen.fillText(String(enough), x(enough), down);
  }

  function area(pen, points, ground) {
    path(pen, points);
    pen.strokeStyle = pen.fillStyle = theme.accent;
    pen.lineWidth = 2;
    pen.lineJoin = "round";
    pen.stroke();
    pen.lineTo(points.at(-1)[0], ground);
    pen.globalAlpha = 0.12;
    pen.fill();
    pen.globalAlpha = pen.lineWidth = 1;
  }

  function found(pen, right, down, left, ground) {
    pen.strokeStyle = pen.fillStyle = theme.ink;
    pen.setLineDash([3, 3]);
    path(pen, [[left, down], [right, down], [right, ground]]);
    pen.stroke();
    pen.setLineDash([]);
    pen.beginPath();
    pen.arc(right, down, 4, 0, 2 * Math.PI);
    pen.fill();
  }

  return {
    element,
    draw(rows, total) {
      const width = element.clientWidth; // 0 while it is hidden
      if (width && renewed("drawn", rows, width)) paint(rows, total, width);
    },
  };
}

function path(pen, points) {
  pen.beginPath();
  for (const [right, down] of points) pen.lineTo(right, down);
}
