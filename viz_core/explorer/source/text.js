// The text as it was typed: each token shaded by what the selected one looks at, or by what looks at it; and what [CLS]
// looks at as bars beside it.

import { sorted, weightsOfUnit } from "./attention.js";
import { colourAt, inkAt, share } from "./colours.js";
import { el } from "./dom.js";
import { stepped } from "./keyboard.js";
import { createLegend } from "./legend.js";
import { chooser, panel } from "./panel.js";
import { name } from "./reading.js";
import { CHOICES } from "./selection.js";

const STEPS = 255; // of the colours: as many as a screen tells apart
const LONG = 160; // tokens: longer texts are set smaller, to have more of them in sight
const BARS = 10; // of what [CLS] looks at
const UNSEEN = /^[\p{C}\p{Zl}\p{Zp}]+$/u; // line ends and control characters would leave nothing to click on
const READABLE = /[\p{L}\p{N}]/u;

export function createText(context) {
  const { input, say, store } = context, { theme } = input;
  const body = el("div", { class: "body", tabindex: "0", role: "group", "aria-label": say("text_keys") });
  const bars = createBars(context);
  const legend = createLegend(context);
  const direction = chooser(say("direction"),
    Object.fromEntries(CHOICES.direction.map((value) => [value, say(`direction_${value}`)])),
    (value) => store.set({ direction: value }));
  const reader = el("div", { class: "reader" }, el("div", { class: "columns" }, el("div", {}, body, legend.element), bars.element));
  const { element, note } = panel(context, "text", reader, direction.element);
  const shades = Array.from({ length: STEPS + 1 }, (_, step) => [
    colourAt(theme.sequential, step / STEPS), inkAt(theme.sequential, step / STEPS)]);
  const renewed = memory();
  let spans = [], steps = [], marked = [], now = null;
  body.classList.toggle("long", input.tokens > LONG);
  legend.element.hidden = true;

  /** One span a unit, what stands between them as plain text; all of it again only when the unit of reading changes. */
  function build(units) {
    [spans, steps, marked] = [new Array(units.count), new Array(units.count), []];
    body.replaceChildren(...input.texts.map((pieces, number) => el("div", { class: "line" },
      input.pair ? el("span", { class: `name ${"ab"[number]}` }, "AB"[number]) : null, typed(pieces, units))));
  }

  function typed(pieces, units) {
    const line = el("div", { class: "typed" });
    let between = "", last = -1;
    for (const [string, token] of withTail(pieces)) {
      const unit = token < 0 ? -1 : units.of[token];
      if (token < 0) between += string;
      else if (unit === last) spans[unit].append(between + string); // a word goes on
      else line.append(between, spans[unit] = spanOf(string, token, unit));
      if (token >= 0) [between, last] = ["", unit];
      if (token >= 0 && input.unknown[token]) spans[unit].classList.add("unknown");
    }
    // Words that are no tokens stand after the last one only where the text was too long.
    line.append(READABLE.test(withoutBreaks(between)) ? el("span", { class: "unread", title: say("unread") }, between) : between);
    return line;
  }

  function spanOf(string, token, unit) {
    if (input.groups[token] < 0) return el("span", { class: "token chip", "data-unit": unit }, input.labels[token]);
    const seen = UNSEEN.test(string) ? input.labels[token] : null;
    return el("span", { class: "token", "data-unit": unit, "data-seen": seen }, string);
  }

  /** What is left out of the view stays plain; of the others, only those whose colour changes are touched. */
  function paint({ map, weights, query }, state) {
    const places = query !== null && state.direction === "to" ? map.rowOf : map.columnOf;
    let largest = 0;
    for (const weight of weights) if (weight > largest) largest = weight;
    spans.forEach((span, unit) => {
      const step = places[unit] < 0 ? -1 : Math.round(share(weights[unit], largest || 1, state.scale) * STEPS);
      if (steps[unit] === step) return;
      const [ground, ink] = shades[step] ?? ["", ""];
      span.style.backgroundColor = ground;
      span.style.color = ink;
      if ((step < 0) !== (steps[unit] < 0)) span.classList.toggle("out", step < 0);
      steps[unit] = step;
    });
    legend.element.hidden = !largest;
    legend.show(largest, state.scale);
  }

  /** The selected query and key, and what is pointed at here or in another view, in the hues of query and key. */
  function mark({ query, key }, { hover }) {
    for (const [span, kind] of marked) span.classList.remove(kind);
    marked = [[query, "query"], [key, "key"], [hover?.query, "at-query"], [hover?.key, "at-key"]]
      .filter(([unit]) => spans[unit]).map(([unit, kind]) => [spans[unit], kind]);
    for (const [span, kind] of marked) span.classList.add(kind);
  }

  /** Into sight within the box of the text only: the page stays where the reader has it. */
  function reveal(unit) {
    const span = spans[unit];
    if (!span || body.scrollHeight <= body.clientHeight) return;
    const above = span.offsetTop - body.scrollTop, below = above + span.offsetHeight - body.clientHeight;
    if (above < 0) body.scrollTop += above - theme.text;
    else if (below > 0) body.scrollTop += below + theme.text;
  }

  function notice({ map, query, units }, state) {
    if (query === null) return say("text_note_all");
    if (map && state.direction === "to" && map.columnOf[query] < 0) return say("range_hidden");
    return say(`text_note_${state.direction}`, { token: name(units, query) });
  }

  const select = (unit) => store.set({ query: unit === null ? null : now.units.first[unit], key: null, range: null });
  const unitAt = (event) => {
    const span = event.target.closest("[data-unit]");
    return span && Number(span.dataset.unit);
  };

  body.addEventListener("click", (event) => {
    const unit = unitAt(event);
    if (unit !== null) select(unit === now.query ? null : unit);
  });
  body.addEventListener("pointerover", (event) => {
    const unit = unitAt(event);
    store.set({ hover: pointed(now, store.get().direction, unit) });
    if (unit === null || !now.weights) return;
    const unknown = spans[unit].classList.contains("unknown") ? ` · ${say("unknown")}` : "";
    spans[unit].title = `${name(now.units, unit)}${steps[unit] < 0 ? "" : `: ${now.weights[unit].toFixed(4)}`}${unknown}`;
  });
  body.addEventListener("pointerleave", () => store.set({ hover: null }));
  body.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    select(stepped(Array.from(spans.keys()), now.query, step));
  });

  return {
    element,
    draw(state, shown) {
      now = shown;
      if (renewed("unit", state.unit)) build(shown.units);
      // Before anything is coloured: measuring would make the browser style the whole text at once.
      if (renewed("query", shown.query)) reveal(shown.query);
      if (renewed("key", shown.key)) reveal(shown.key);
      direction.show(state.direction);
      body.classList.toggle("waiting", !shown.map);
      if (renewed("note", shown.map, shown.query, state.direction)) note.textContent = notice(shown, state);
      if (shown.map && renewed("paint", shown.map, shown.query, state.direction, state.scale)) paint(shown, state);
      mark(shown, state);
      bars.draw(shown);
    },
  };
}

/** The keys that [CLS] gives most weight to: what the classifier reads, where it reads at [CLS]. */
function createBars({ input, say, store }) {
  const rows = Array.from({ length: Math.min(BARS, input.tokens) }, (_, place) => {
    const letter = el("span"), token = el("span", { class: "name" }), bar = el("i"), weight = el("span", { class: "number" });
    const choose = () => store.set({ query: 0, key: now.units.first[units[place]], range: null });
    const button = el("button", { type: "button", tabindex: place ? "-1" : "0", onclick: choose,
      onpointerenter: () => store.set({ hover: pointed({ ...now, query: now.units.of[0] }, "from", units[place]) }),
      onpointerleave: () => store.set({ hover: null }) },
    letter, token, el("span", { class: "track", "aria-hidden": "true" }, bar), weight);
    return { element: el("li", {}, button), button, letter, token, bar, weight };
  });
  const list = el("ol", {}, ...rows.map((row) => row.element));
  const renewed = memory();
  let units = [], now = null;

  list.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key], seen = rows.slice(0, units.length).map(({ button }) => button);
    if (!step) return;
    event.preventDefault();
    const next = stepped(seen, event.target, step);
    for (const button of seen) button.tabIndex = button === next ? 0 : -1;
    next.focus();
  });

  function fill({ map, units: all }) {
    const found = sorted(weightsOfUnit(map, all.of[0], "from", all), map.keys).slice(0, BARS);
    units = found.map(({ unit }) => unit);
    rows.forEach(({ element, letter, token, bar, weight }, place) => {
      element.hidden = !found[place];
      if (!found[place]) return;
      sided(letter, input, all.groups[units[place]]);
      token.textContent = name(all, units[place]);
      bar.style.width = `${(100 * found[place].weight) / (found[0].weight || 1)}%`;
      weight.textContent = found[place].weight.toFixed(4);
    });
  }

  return {
    element: el("div", { class: "bars" }, el("h5", {}, say("cls_bars")), list,
      el("p", { class: "read" }, say(input.pooling === "cls" ? "cls_read" : "cls_not_read"))),
    draw(shown) {
      now = shown;
      if (!shown.map) return;
      if (renewed("map", shown.map)) fill(shown);
      const selected = shown.query === shown.units.of[0] ? shown.key : null;
      rows.forEach(({ button }, place) => button.setAttribute("aria-pressed", String(selected !== null && units[place] === selected)));
    },
  };
}

/** The cell of the map that pointing at a unit means while another one is selected; null where there is none. */
export function pointed({ map, query }, direction, unit) {
  if (!map || query === null || unit === null) return null;
  const [row, column] = direction === "from" ? [query, unit] : [unit, query];
  return map.rowOf[row] >= 0 && map.columnOf[column] >= 0 ? { query: row, key: column } : null;
}

/** `renewed(name, …values)`: whether any value differs from the last time, also where the view was hidden in between. */
export function memory() {
  const last = new Map();
  return (name, ...values) => {
    const before = last.get(name);
    last.set(name, values);
    return !before || values.some((value, index) => value !== before[index]);
  };
}

/** Writes which sentence of a pair a unit belongs to, in the hue of the sentence. */
export function sided(element, { pair }, group) {
  element.className = `side ${pair && group >= 0 ? "ab"[group] : ""}`;
  element.textContent = pair && group >= 0 ? "AB"[group] : "";
}

/** The pieces with what follows the last token before [SEP], if it is no more than a full stop. */
function withTail(pieces) {
  const [sep, tail] = pieces.slice(-2);
  const ends = sep && tail && sep[0] === "" && tail[1] < 0 && !READABLE.test(withoutBreaks(tail[0]));
  return ends ? [...pieces.slice(0, -2), tail, sep] : pieces;
}

const withoutBreaks = (string) => string.replace(/<br\s*\/?>/gi, ""); // no words to the tokenizer either
