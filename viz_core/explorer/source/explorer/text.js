// The text as typed, each token shaded by the weight from or to the selected token.

/** @import { Derived, Side, SideName } from "../shared/records.js" */

import { colourAt, inkAt } from "../shared/colours.js";
import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { tokenName } from "../shared/names.js";
import { remember } from "../shared/remember.js";
import { isWeighed, sideOf } from "./cells.js";
import { changeLabels, createDifferenceLegend, signed } from "./comparison/legend.js";
import { createMarks } from "./comparison/marks.js";
import { createLegend, weightLabels } from "./legend.js";
import { chooser, panel } from "./panel.js";
import { darkestOf, share, signedShare } from "./scales.js";
import { rememberScroll } from "./scroll.js";
import { CHOICES } from "./selection.js";
import { listenToText } from "./text_input.js";
import { saveText } from "./text_picture.js";
import { createLine } from "./text_pieces.js";
import { sidesOf } from "./units.js";

const STEPS = 255; // of the colour scale
const LONG = 160; // tokens: longer texts are set in smaller type

export function createText(context) {
  const { say, store, theme } = context, { pair } = context.input;
  const body = el("div", { class: "body", tabindex: "0", role: "group", "aria-label": say("text_keys") });
  const legend = createLegend(context), differenceLegend = createDifferenceLegend(context);
  const marks = createMarks(context);
  const direction = chooser(say("direction"),
    Object.fromEntries(CHOICES.direction.map((value) => [value, say(`direction_${value}`)])),
    (value) => store.set({ direction: value }));
  const legends = [marks, legend, differenceLegend].map((part) => part.element);
  const reader = el("div", { class: "reader" }, body, ...legends);
  const { element, note } = panel(context, "text", reader, direction.element, button("PNG", say("save_png"), () => {
    if (current?.map) saveText(context, body, current, labels);
  }));
  const shadesOf = (stops) => Array.from({ length: STEPS + 1 }, (_, step) => [
    colourAt(stops, step / STEPS), inkAt(stops, step / STEPS)]);
  const shades = { weight: shadesOf(theme.sequential), change: shadesOf(theme.diverging) };
  const restoreScroll = rememberScroll(body);
  // Of each side, by unit: its span; between two sentences each has its own. painted: the shade of a span.
  /** @type {Record<SideName, HTMLElement[]>} */
  let spans = { query: [], key: [] };
  let painted = new Map(), marked = [];
  /** @type {Derived} */
  let current;
  /** @type {[number, string][] | null} */
  let labels = null; // of the colour scale, if anything is coloured
  legend.element.hidden = differenceLegend.element.hidden = true;

  /** Rebuilds the text; needed only for another input, for words in place of tokens, or for another reference. */
  const build = remember((input, sides, isSquare, kinds, gaps, unitsOfGaps) => {
    const { query, key } = sidesOf(input);
    body.classList.toggle("long", Math.max(query.tokens, key.tokens) > LONG);
    [painted, marked] = [new Map(), []];
    const queries = new Array(sides.query.count);
    spans = { query: queries, key: isSquare ? queries : new Array(sides.key.count) };
    /** @type {[SideName, Side][]} */
    const shown = isSquare ? [["query", query]] : [["key", key], ["query", query]]; // the source is read first
    body.replaceChildren(...shown.flatMap(([name, side]) => side.texts.map((pieces, number) => (
      el("div", { class: "line", "data-side": name }, lineName(side, number),
        createLine(say, side, pieces, sides[name], spans[name]))))));
    marks.draw(spans.query, kinds, gaps, unitsOfGaps);
  });

  /** What stands before the line of a text, if there is more than one. */
  function lineName(/** @type {Side} */ { name }, number) {
    if (pair) return el("span", { class: `name ${"ab"[number]}` }, sideOf(number));
    return name ? el("span", { class: "name" }, say(`side_${name}`)) : null;
  }

  /** Colours the units, except those left out of the view; changes only elements whose colour changes. */
  const paint = remember(({ map, token, over, sides, mostWeight, values, isChange, scale, limit, input, tokens, spans }) => {
    const indexOf = over === "query" ? map.rowOf : map.columnOf, kind = isChange ? "change" : "weight";
    let largest = mostWeight;
    for (const value of values) if (Math.abs(value) > largest) largest = Math.abs(value);
    const position = isChange ? signedShare : share, darkest = isChange ? largest : darkestOf({ limit }, input, tokens, largest);
    spans[over].forEach((span, unit) => {
      const isCut = sides.isCausal && !isWeighed({ token, over, sides }, unit);
      const isOut = isCut || indexOf[unit] < 0 || Number.isNaN(values[unit]);
      if (sides.isCausal) span.classList.toggle("unreachable", isCut);
      const shade = isOut ? null
        : shades[kind][Math.round(position(values[unit], darkest || 1, scale) * STEPS)];
      if (painted.get(span) === shade) return;
      if (isOut !== (painted.get(span) === null)) span.classList.toggle("out", isOut);
      colour(span, shade);
      painted.set(span, shade);
    });
    const other = spans[over === "query" ? "key" : "query"];
    if (other !== spans[over]) other.forEach((span) => {
      if (!painted.delete(span)) return;
      colour(span, null);
      span.classList.remove("out");
    });
    labels = !largest ? null
      : isChange ? changeLabels(largest, scale) : weightLabels(darkest, scale, largest > darkest);
    legend.element.hidden = !largest || isChange;
    differenceLegend.element.hidden = !largest || !isChange;
    (isChange ? differenceLegend : legend).show(darkest || 1, scale, largest > darkest, sides.isCausal);
  });

  function colour(span, shade) {
    [span.style.backgroundColor, span.style.color] = shade ?? ["", ""];
  }

  /** Marks the selected and hovered query and key. */
  function mark({ query, key }, { hover }) {
    for (const [span, kind] of marked) span.classList.remove(kind);
    marked = [[spans.query[query], "query"], [spans.key[key], "key"], [spans.query[hover?.query], "at-query"],
      [spans.key[hover?.key], "at-key"]].filter(([span]) => span);
    for (const [span, kind] of marked) span.classList.add(kind);
  }

  /** Scrolls to a unit within the box of the text; the page itself does not scroll. */
  function reveal(span) {
    if (!span || body.scrollHeight <= body.clientHeight) return;
    const above = span.offsetTop - body.scrollTop, below = above + span.offsetHeight - body.clientHeight;
    if (above < 0) body.scrollTop += above - theme.text;
    else if (below > 0) body.scrollTop += below + theme.text;
  }

  const revealQuery = remember((query) => reveal(spans.query[query])), revealKey = remember((key) => reveal(spans.key[key]));
  const showDirection = remember(direction.show);
  const writeNote = remember((...shown) => { note.textContent = notice(...shown); });

  function notice(map, token, sides, isSquare, direction, isChange) {
    if (isChange) return say("text_note_difference");
    if (token === null) return say(isSquare ? "text_note_all" : "text_note_cross");
    if (map && direction === "to" && map.columnOf[token] < 0) return say("range_hidden");
    return say(`text_note_${direction}`, { token: tokenName(sides[direction === "to" ? "key" : "query"], token) });
  }

  listenToText({ body, store, current: () => current, describe(side, unit) {
    const { sides, weights, difference } = current, value = (difference?.weights ?? weights)?.[unit];
    const span = spans[side][unit];
    const weight = value === undefined || !painted.get(span) ? "" : `: ${difference ? signed(value) : value.toFixed(4)}`;
    const unknown = span.classList.contains("unknown") ? ` · ${say("unknown")}` : "";
    span.title = `${tokenName(sides[side], unit)}${weight}${unknown}`;
  } });

  return {
    element,
    draw(state, derived, place) {
      const { map, weights, token, over, sides, isSquare, difference, mostWeight = 0 } = derived, isChange = Boolean(difference);
      current = derived;
      restoreScroll(place);
      build(context.input, sides, isSquare, derived.marks, difference?.gaps, difference?.reference.units);
      // Before colouring: measuring afterwards would make the browser restyle the whole text.
      revealQuery(derived.query);
      revealKey(derived.key);
      showDirection(state.direction);
      reader.classList.toggle("waiting", !map);
      writeNote(map, token, sides, isSquare, state.direction, isChange);
      const values = difference?.weights ?? weights;
      if (map) paint({ map, token, over, sides, mostWeight, values, isChange, scale: state.scale, limit: state.limit,
        input: context.input, tokens: derived.tokens, spans });
      mark(derived, state);
    },
  };
}
