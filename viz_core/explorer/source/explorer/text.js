// The text as typed, each token shaded by the weight from or to the selected token; beside it, what [CLS] attends to.

import { createChangeDetector } from "../shared/change_detector.js";
import { colourAt, inkAt } from "../shared/colours.js";
import { el } from "../shared/dom.js";
import { tokenName } from "../shared/names.js";
import { sideOf } from "./cells.js";
import { createBars } from "./cls_bars.js";
import { createDifferenceLegend, signed } from "./comparison/legend.js";
import { createMarks } from "./comparison/marks.js";
import { createLegend } from "./legend.js";
import { chooser, panel } from "./panel.js";
import { share, signedShare } from "./scales.js";
import { rememberScroll } from "./scroll.js";
import { CHOICES } from "./selection.js";
import { listenToText } from "./text_input.js";
import { createLine } from "./text_pieces.js";

const STEPS = 255; // of the colour scale
const LONG = 160; // tokens: longer texts are set in smaller type

export function createText(context) {
  const { say, store } = context, { theme, pair } = context.input;
  const body = el("div", { class: "body", tabindex: "0", role: "group", "aria-label": say("text_keys") });
  const bars = createBars(context);
  const legend = createLegend(context), differenceLegend = createDifferenceLegend(context);
  const marks = createMarks(context);
  const direction = chooser(say("direction"),
    Object.fromEntries(CHOICES.direction.map((value) => [value, say(`direction_${value}`)])),
    (value) => store.set({ direction: value }));
  const legends = [marks, legend, differenceLegend].map((part) => part.element);
  const columns = el("div", { class: "columns" }, el("div", {}, body, ...legends), bars.element);
  const { element, note } = panel(context, "text", el("div", { class: "reader" }, columns), direction.element);
  const shadesOf = (stops) => Array.from({ length: STEPS + 1 }, (_, step) => [
    colourAt(stops, step / STEPS), inkAt(stops, step / STEPS)]);
  const shades = { weight: shadesOf(theme.sequential), change: shadesOf(theme.diverging) };
  const isNew = createChangeDetector(), restoreScroll = rememberScroll(body);
  // By unit: its span, and its shade.
  let spans = [], painted = [], marked = [], current = null;
  legend.element.hidden = differenceLegend.element.hidden = true;

  /** Rebuilds the text; needed only for another input, for words in place of tokens, or for another reference. */
  function build({ units, marks: kinds, difference }) {
    body.classList.toggle("long", context.input.tokens > LONG);
    [spans, painted, marked] = [new Array(units.count), new Array(units.count), []];
    body.replaceChildren(...context.input.texts.map((pieces, number) => el("div", { class: "line" },
      pair ? el("span", { class: `name ${"ab"[number]}` }, sideOf(number)) : null,
      createLine(context, pieces, units, spans))));
    marks.draw(spans, kinds, difference);
  }

  /** Colours the units, except those left out of the view; changes only elements whose colour changes. */
  function paint({ map, weights, query, difference, mostWeight = 0 }, state) {
    const indexOf = query !== null && state.direction === "to" ? map.rowOf : map.columnOf;
    const values = difference?.weights ?? weights, kind = difference ? "change" : "weight";
    let largest = mostWeight;
    for (const value of values) if (Math.abs(value) > largest) largest = Math.abs(value);
    const position = difference ? signedShare : share;
    spans.forEach((span, unit) => {
      const isOut = indexOf[unit] < 0 || Number.isNaN(values[unit]);
      const shade = isOut ? null
        : shades[kind][Math.round(position(values[unit], largest || 1, state.scale) * STEPS)];
      if (painted[unit] === shade) return;
      const [background, ink] = shade ?? ["", ""];
      span.style.backgroundColor = background;
      span.style.color = ink;
      if (isOut !== (painted[unit] === null)) span.classList.toggle("out", isOut);
      painted[unit] = shade;
    });
    legend.element.hidden = !largest || Boolean(difference);
    differenceLegend.element.hidden = !largest || !difference;
    (difference ? differenceLegend : legend).show(largest, state.scale);
  }

  /** Marks the selected and hovered query and key. */
  function mark({ query, key }, { hover }) {
    for (const [span, kind] of marked) span.classList.remove(kind);
    marked = [[query, "query"], [key, "key"], [hover?.query, "at-query"], [hover?.key, "at-key"]]
      .filter(([unit]) => spans[unit]).map(([unit, kind]) => [spans[unit], kind]);
    for (const [span, kind] of marked) span.classList.add(kind);
  }

  /** Scrolls to a unit within the box of the text; the page itself does not scroll. */
  function reveal(unit) {
    const span = spans[unit];
    if (!span || body.scrollHeight <= body.clientHeight) return;
    const above = span.offsetTop - body.scrollTop, below = above + span.offsetHeight - body.clientHeight;
    if (above < 0) body.scrollTop += above - theme.text;
    else if (below > 0) body.scrollTop += below + theme.text;
  }

  function notice({ map, query, units, difference }, state) {
    if (difference) return say("text_note_difference");
    if (query === null) return say("text_note_all");
    if (map && state.direction === "to" && map.columnOf[query] < 0) return say("range_hidden");
    return say(`text_note_${state.direction}`, { token: tokenName(units, query) });
  }

  listenToText({ body, store, current: () => current, unitCount: () => spans.length, describe(unit) {
    const { weights, difference } = current, value = difference?.weights[unit] ?? weights[unit];
    const weight = !painted[unit] ? "" : `: ${difference ? signed(value) : value.toFixed(4)}`;
    const unknown = spans[unit].classList.contains("unknown") ? ` · ${say("unknown")}` : "";
    spans[unit].title = `${tokenName(current.units, unit)}${weight}${unknown}`;
  } });

  return {
    element,
    draw(state, derived, changed) {
      current = derived;
      if (changed.has("views") || changed.has("size")) restoreScroll();
      if (isNew("units", derived.units, derived.marks, derived.difference?.gaps)) build(derived);
      // Before colouring: measuring afterwards would make the browser restyle the whole text.
      if (isNew("query", derived.query)) reveal(derived.query);
      if (isNew("key", derived.key)) reveal(derived.key);
      if (isNew("direction", state.direction)) direction.show(state.direction);
      columns.classList.toggle("waiting", !derived.map);
      const { map, query, difference, mostWeight } = derived;
      if (isNew("note", map, query, state.direction, difference)) note.textContent = notice(derived, state);
      if (map && isNew("paint", map, query, state.direction, state.scale, spans, difference?.weights, mostWeight)) {
        paint(derived, state);
      }
      mark(derived, state);
      bars.draw(derived);
    },
  };
}
