// The text as it was typed: each token shaded by what the selected one looks at, or by what looks at it; and what [CLS]
// looks at as bars beside it.

import { colourAt, inkAt } from "../shared/colours.js";
import { el } from "../shared/dom.js";
import { hasModifier } from "../shared/keyboard.js";
import { memory } from "../shared/memory.js";
import { tokenName } from "../shared/names.js";
import { pointed, sideOf } from "./cells.js";
import { createBars } from "./cls_bars.js";
import { stepped } from "./keyboard.js";
import { createLegend } from "./legend.js";
import { chooser, panel } from "./panel.js";
import { share } from "./scales.js";
import { keepScroll } from "./scroll.js";
import { CHOICES } from "./selection.js";
import { createToken, readable, withTail } from "./text_pieces.js";

const STEPS = 255; // of the colours: as many as a screen tells apart
const LONG = 160; // tokens: longer texts are set smaller, to have more of them in sight

export function createText(context) {
  const { input, say, store } = context, { theme } = input;
  const body = el("div", { class: "body", tabindex: "0", role: "group", "aria-label": say("text_keys") });
  const bars = createBars(context);
  const legend = createLegend(context);
  const direction = chooser(say("direction"),
    Object.fromEntries(CHOICES.direction.map((value) => [value, say(`direction_${value}`)])),
    (value) => store.set({ direction: value }));
  const columns = el("div", { class: "columns" }, el("div", {}, body, legend.element), bars.element);
  const { element, note } = panel(context, "text", el("div", { class: "reader" }, columns), direction.element);
  const shades = Array.from({ length: STEPS + 1 }, (_, step) => [
    colourAt(theme.sequential, step / STEPS), inkAt(theme.sequential, step / STEPS)]);
  const renewed = memory(), scrollBack = keepScroll(body);
  let spans = [], steps = [], marked = [], now = null;
  body.classList.toggle("long", input.tokens > LONG);
  legend.element.hidden = true;

  /** One span a unit, what stands between them as plain text; all of it again only when the unit of reading changes. */
  function build(units) {
    [spans, steps, marked] = [new Array(units.count), new Array(units.count), []];
    body.replaceChildren(...input.texts.map((pieces, number) => el("div", { class: "line" },
      input.pair ? el("span", { class: `name ${"ab"[number]}` }, sideOf(number)) : null, typed(pieces, units))));
  }

  function typed(pieces, units) {
    const line = el("div", { class: "typed" });
    let between = "", last = -1;
    for (const [string, token] of withTail(pieces)) {
      const unit = token < 0 ? -1 : units.of[token];
      if (token < 0) between += string;
      else if (unit === last) spans[unit].append(between + string); // a word goes on
      else line.append(between, spans[unit] = createToken(input, string, token, unit));
      if (token >= 0) [between, last] = ["", unit];
      if (token >= 0 && input.unknown[token]) spans[unit].classList.add("unknown");
    }
    // Words that are no tokens stand at the end only, and only where the text was too long for the model.
    line.append(readable(between) ? el("span", { class: "unread", title: say("unread") }, between) : between);
    return line;
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
    return say(`text_note_${state.direction}`, { token: tokenName(units, query) });
  }

  const select = (unit) => store.set({ query: unit === null ? null : now.units.first[unit], key: null, range: null, hover: null });
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
    const weight = steps[unit] < 0 ? "" : `: ${now.weights[unit].toFixed(4)}`;
    const unknown = spans[unit].classList.contains("unknown") ? ` · ${say("unknown")}` : "";
    spans[unit].title = `${tokenName(now.units, unit)}${weight}${unknown}`;
  });
  body.addEventListener("pointerleave", () => store.set({ hover: null }));
  body.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || hasModifier(event)) return;
    event.preventDefault();
    const { query } = store.get(); // several presses may come before they are drawn
    select(stepped(Array.from(spans.keys()), query === null ? null : now.units.of[query], step));
  });

  return {
    element,
    draw(state, shown, changed) {
      now = shown;
      if (changed.has("views") || changed.has("size")) scrollBack();
      if (renewed("unit", state.unit)) build(shown.units);
      // Before anything is coloured: measuring would make the browser style the whole text at once.
      if (renewed("query", shown.query)) reveal(shown.query);
      if (renewed("key", shown.key)) reveal(shown.key);
      if (renewed("direction", state.direction)) direction.show(state.direction);
      columns.classList.toggle("waiting", !shown.map);
      if (renewed("note", shown.map, shown.query, state.direction)) note.textContent = notice(shown, state);
      if (shown.map && renewed("paint", shown.map, shown.query, state.direction, state.scale)) paint(shown, state);
      mark(shown, state);
      bars.draw(shown);
    },
  };
}
