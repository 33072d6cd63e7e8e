// The weights of the selected token from the largest down, and how few tokens hold most of them: a curve with bars, and
// a table that also serves screen readers.

/** @import { Derived } from "../shared/records.js" */

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { hasModifier } from "../shared/keyboard.js";
import { tokenName } from "../shared/names.js";
import { remember } from "../shared/remember.js";
import { countHolding, sortByWeight, uniformCurve } from "./attention.js";
import { hoveredCell, isWeighed, sideOf } from "./cells.js";
import { signed } from "./comparison/legend.js";
import { createCurve, SHARE } from "./curve.js";
import { nextItem } from "./keyboard.js";
import { panel } from "./panel.js";
import { rememberScroll } from "./scroll.js";

const FIRST = 15; // rows shown until the table is expanded

export function createDistribution(context) {
  const { say, store } = context, { pair, pooling } = context.input;
  const part = el("p", { class: "part" }), read = el("p", { class: "part" }), curve = createCurve(context);
  const headings = Object.fromEntries(["rank", "token", "weight", "mass"].map((column) => (
    [column, el("th", { scope: "col", role: "columnheader", class: column }, say(`column_${column}`))])));
  const body = el("tbody", { role: "rowgroup" });
  // Rows are laid out as grids, so that rows out of sight cost nothing; the roles keep it a table for screen readers.
  const table = el("table", { role: "table" }, el("caption", { class: "spoken" }, say("distribution_table")),
    el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, ...Object.values(headings))), body);
  const rest = el("span"), more = button("", "", () => {
    expanded = !expanded;
    box.scrollTop = 0;
    fill();
    mark();
  }, { class: "more" });
  const box = el("div", { class: "box" }, table), below = el("div", { class: "below" }, rest, more);
  const columns = el("div", { class: "columns" }, curve.element, el("div", {}, part, box, below, read));
  const { element, note } = panel(context, "distribution", el("div", { class: "lists" }, columns));
  const lines = [], restoreScroll = rememberScroll(box);
  // rows: units by decreasing weight; rankOf: unit -> row; entry: the row that Tab moves to.
  let rows = [], rankOf = new Map(), total = 0, expanded = false, marked = [];
  /** @type {HTMLElement | null} */
  let entry = null;
  /** @type {Derived} */
  let current;
  /** @type {number[] | null} the curve of uniform attention, where it is not a straight line */
  let uniform = null;
  let mode = "all"; // or the direction, if a query is selected; or "change", compared with a reference

  /** Sorts the units of the selection by weight and updates everything that depends on it. */
  const sort = remember(({ map, sides, weights, token, over, changes, measure }) => {
    const shown = (over === "query" ? map.queries : map.keys).filter((unit) => isWeighed({ sides, token, over }, unit));
    mode = changes ? "change" : token === null ? "all" : over === "key" ? "from" : "to";
    rows = changes ? sortByChange(changes, shown, weights) : sortByWeight(weights, shown);
    rankOf = new Map(rows.map(({ unit }, index) => [unit, index]));
    total = rows.at(-1)?.mass ?? 0;
    const leftOut = over === "query" && map.columnOf[token] < 0;
    note.textContent = leftOut ? say("range_hidden") : headline(map, sides, token, over);
    uniform = mode === "all" && sides.isCausal ? uniformCurve(map, sides) : null;
    const sumsToOne = total > 0.9995; // unless something is left out of the view
    part.hidden = mode === "to" || mode === "change" || !total || sumsToOne || measure === "norms";
    part.textContent = part.hidden ? "" : say("distribution_part", { mass: percent(1 - total) });
    element.classList.toggle("change", mode === "change");
    element.classList.toggle("to", mode === "to"); // columns do not sum to 1: cumulative sums would be meaningless
    read.hidden = !pooling || pooling === "last" || over !== "key" || token !== sides.query.of[0]; // weights from [CLS]
    read.textContent = read.hidden ? "" : say(pooling === "cls" ? "cls_read" : "cls_not_read", { token: sides.query.labels[0] });
    curve.element.hidden = mode === "to" || mode === "change" || !total;
    headings.weight.textContent = say(mode === "change" ? "change" : "column_weight");
    headings.mass.textContent = say(mode === "change" ? "column_before_after" : "column_mass");
    fill();
  });

  function headline({ special, block }, sides, token, over) {
    if (mode === "change") return say("distribution_change");
    const isWhole = special === "shown" && block === "all";
    const whole = say(isWhole ? "distribution_whole" : "distribution_shown");
    const values = { count: countHolding(rows, SHARE), all: rows.length, share: SHARE * 100, whole };
    if (mode !== "to" && !total) return say("distribution_none");
    if (token !== null) values.token = tokenName(sides[over === "key" ? "query" : "key"], token);
    const isGrouped = sides.key.count < sides.key.of.length;
    return say(`distribution_${mode}${mode !== "to" && isGrouped ? "_words" : ""}`, values);
  }

  const percent = (share) => say("percent", { value: (share * 100).toFixed(1) });

  /** The last column: the cumulative share, or the weights before and now. */
  function massOf({ weight, mass, now }) {
    if (mode === "to") return "";
    if (mode !== "change") return percent(mass / (total || 1));
    return [now - weight, now].map((value) => value.toFixed(3)).join(" → ");
  }

  /** Rows are created once and reused: a new selection only changes their text. */
  function fill() {
    const count = expanded ? rows.length : Math.min(rows.length, FIRST), largest = Math.abs(rows[0]?.weight) || 1;
    while (lines.length < count) lines.push(createLine(lines.length));
    if (body.children.length !== count) body.replaceChildren(...lines.slice(0, count).map((line) => line.element));
    for (let index = 0; index < count; index++) {
      const { unit, weight } = rows[index], line = lines[index];
      line.write("token", tokenName(current.sides[current.over], unit));
      line.write("weight", mode === "change" ? signed(weight) : weight.toFixed(4));
      line.write("mass", massOf(rows[index]));
      line.bar.style.backgroundSize = `${(100 * Math.abs(weight)) / largest}% 100%`; // repaints without a new layout
      line.bar.className = `bar${mode !== "change" ? "" : weight < 0 ? " less" : " more"}`;
      line.write("side", pair ? sideOf(current.sides[current.over].groups[unit]) : "");
    }
    updateFooter(rows.length - FIRST);
  }

  const nameMore = remember((expanded) => {
    more.textContent = more.title = say(expanded ? "show_less" : "show_rest", { count: FIRST });
    more.setAttribute("aria-label", more.textContent);
    more.setAttribute("aria-expanded", String(expanded));
  });

  /** The line below: what the remaining rows hold, and the button that shows them. */
  function updateFooter(count) {
    below.hidden = count <= 0;
    rest.hidden = expanded;
    if (count > 0) rest.textContent = say(mode === "to" || mode === "change" ? "rest_to" : "rest", {
      count, mass: percent((total - rows[FIRST - 1].mass) / (total || 1)) });
    nameMore(expanded);
  }

  function createLine(index) {
    const side = el("span"), bar = el("span", { class: "bar", "aria-hidden": "true" });
    const texts = { side: new Text(), token: new Text(), weight: new Text(), mass: new Text() };
    const cell = (kind, ...parts) => el("td", { role: "cell", class: kind }, ...parts);
    const element = el("tr", { role: "row", tabindex: "-1", "data-index": index },
      cell("rank", String(index + 1)), cell("token", side, el("span", { class: "name" }, texts.token)),
      cell("weight", bar, el("span", { class: "number" }, texts.weight)), cell("mass", texts.mass));
    side.append(texts.side);
    const write = (part, text) => {
      if (texts[part].data === text) return; // rewriting a text makes the browser lay it out again
      texts[part].data = text;
      if (part === "side") side.className = `side ${text.toLowerCase()}`;
    };
    return { element, bar, write };
  }

  /** Highlights the selected and hovered rows; Tab moves to the selected key's row, or to the first. */
  function mark() {
    for (const [line, kind] of marked) line.classList.remove(kind);
    const { hover } = store.get(), { over, isSquare } = current, lineOf = (unit) => lines[rankOf.get(unit)]?.element;
    const selected = ["query", "key"].filter((side) => isSquare || side === over).map((side) => [current[side], side]);
    marked = [...selected, [hover?.[over], "at"]].map(([unit, kind]) => [lineOf(unit), kind]).filter(([line]) => line);
    for (const [line, kind] of marked) line.classList.add(kind);
    const selectedLine = lineOf(current[selectedSide()]), next = selectedLine?.isConnected ? selectedLine : body.firstElementChild;
    if (next === entry) return;
    if (entry) entry.tabIndex = -1;
    if (next) next.tabIndex = 0;
    entry = next;
  }

  const rowAt = (event) => event.target.closest("tr[data-index]");
  const unitAt = (row) => rows[row.dataset.index].unit;
  const selectedSide = () => (current.isSquare ? "key" : current.over); // between two sentences, rows may be queries
  const select = (unit) => {
    const side = selectedSide();
    store.set({ [side]: unit === null ? null : current.sides[side].first[unit], range: null });
  };
  const toggle = (unit) => select(unit === current[selectedSide()] ? null : unit);

  body.addEventListener("click", (event) => {
    const row = rowAt(event);
    if (row && current.map) toggle(unitAt(row)); // without a map the rows may show other units
  });
  body.addEventListener("pointerover", (event) => {
    const row = rowAt(event);
    if (!row || !current.map) return;
    store.set({ hover: hoveredCell(current, unitAt(row)) });
    row.title = tokenName(current.sides[current.over], unitAt(row)); // long names are cut
  });
  body.addEventListener("pointerleave", () => store.set({ hover: null }));
  body.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key], row = rowAt(event);
    if (hasModifier(event) || (!step && event.key !== "Enter")) return;
    event.preventDefault();
    if (!row || !current.map) return;
    if (!step) return toggle(unitAt(row));
    const entering = current[selectedSide()] === null && row === entry && step > 0; // the first press selects the focused row
    const next = entering ? row : nextItem([...body.children], row, step);
    next.focus();
    select(unitAt(next));
  });

  return {
    element,
    draw(state, derived, place) {
      current = derived;
      restoreScroll(place);
      for (const part of [note, columns]) part.classList.toggle("waiting", !derived.map);
      if (!derived.map) return;
      const { map, sides, weights, token, over, difference } = derived;
      sort({ map, sides, weights, token, over, changes: difference?.weights, measure: context.input.measure });
      mark();
      if (mode !== "to" && mode !== "change") curve.draw(rows, total, uniform);
    },
  };
}

/** Units by the size of their change, `[{ unit, weight, now }]`, the change and the weight; without those that cannot be compared. */
function sortByChange(changes, units, weights) {
  return [...units].filter((unit) => !Number.isNaN(changes[unit]))
    .sort((a, b) => Math.abs(changes[b]) - Math.abs(changes[a]) || a - b)
    .map((unit) => ({ unit, weight: changes[unit], mass: 0, now: weights[unit] }));
}
