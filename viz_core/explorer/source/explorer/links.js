// The selected heads as links: queries on the left, keys on the right, a curve for the strongest weights of each query.

import { createChangeDetector } from "../shared/change_detector.js";
import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { headName } from "../shared/names.js";
import { prepareCanvas } from "./canvas.js";
import { shiftOf } from "./follow.js";
import { drawScene } from "./links_drawing.js";
import { listenToLinks } from "./links_input.js";
import {
  columnsOf, defaultCount, MOST, presentedRowHeight, rowHeight, selectedName, strongestLinks, tokenAt,
} from "./links_layout.js";
import { numberFont } from "./links_names.js";
import { saveLinks } from "./links_picture.js";
import { chooser, panel } from "./panel.js";

const LONG = 40; // characters of a name that are measured
const WIDEST = 1.25; // times the height of the view, the width of the links: longer ones are hard to follow
// Changes of these alone do not change the picture.
const IRRELEVANT = ["scale", "viewport", "order", "sharedScale", "help", "range", "failed"];

/** What is drawn, unchanged while only the selection changes. */
const sourceOf = ({ maps, difference }) => difference?.sizes ?? maps;

export function createLinks(context) {
  const { say, store, theme, isPresented } = context, { pair } = context.input, size = theme.small;
  const canvas = el("canvas"), content = el("div", {}, canvas);
  const stage = el("div", { class: "stage", tabindex: "0", role: "group", "aria-label": say("links_keys") }, content);
  const counts = Object.fromEntries(Array.from({ length: MOST }, (_, index) => [index + 1, String(index + 1)]));
  const number = chooser(say("links_shown"), counts, (value) => {
    selectedCount = Number(value);
    redraw();
  });
  const hues = el("div", { class: "hues", hidden: true });
  const { element, note } = panel(context, "links", stage, number.element, button("PNG", say("save_png"), () => {
    if (current.map) saveLinks(context, scene(), current);
  }));
  note.after(hues);
  const labelsOf = ({ isSquare }) => ({ query: say(isSquare ? "links_queries" : "links_queries_cross"),
    key: say(isSquare ? "links_keys_column" : "links_keys_column_cross"), weight: say("weight") });
  // current: what is drawn, unchanged while the weights of other heads are fetched. hovered: a token. soloHead: its
  // index.
  /** @type {any} */
  let current = { source: null };
  let layout = null, selectedCount = null, hovered = null, soloHead = null;
  let frame = 0, scrolled = 0, side = theme.side, room = {}; // room: height of the content, and what is visible of it, px
  const fittedNames = new Map(), isNew = createChangeDetector(); // fittedNames: names cut to fit

  /** The maps to draw, each with its colour and its name in the legend; a single map needs no name. */
  function layersOf({ maps, difference }, { heads }) {
    if (difference) {
      return ["stronger", "weaker"].map((side, index) => ({ map: difference.sizes[side], name: say(side),
        title: say(`${side}_help`), colour: index ? theme.diverging[1] : theme.diverging.at(-2) }));
    }
    if (maps.length < 2) return maps.map((map) => ({ map, colour: theme.accent }));
    return maps.map((map, index) => {
      const [layer, head] = heads[index], title = say("of_head", { layer: layer + 1, head: head + 1 });
      return { map, name: headName(layer, head), title, colour: context.colourOfHead(index) };
    });
  }

  function update(state, derived) {
    const previous = current.sides, layers = layersOf(derived, state), maps = layers.map(({ map }) => map);
    current = { ...derived, source: sourceOf(derived), maps, layers: layers.length > 1 ? layers : [],
      map: derived.map && (derived.difference?.sizes.all ?? derived.map), changes: derived.difference?.map.weights,
      ranked: maps.map((map) => strongestLinks(map, MOST)),
      list: { query: derived.axes.queries, key: derived.axes.keys }, colours: layers.map(({ colour }) => colour) };
    if (["query", "key"].some((side) => derived.sides[side].count !== previous?.[side].count)) hovered = null;
    soloHead = null;
    const several = current.layers.length > 1;
    const kind = derived.difference ? "_difference" : several ? "_several" : derived.isSquare ? "" : "_cross";
    note.textContent = say(`links_note${kind}`);
    hues.hidden = !several;
    hues.replaceChildren(...current.layers.map(hue));
  }

  /** A head in the legend: hovering over it shows this head only. */
  function hue({ name, title, colour }, index) {
    const only = (value) => () => {
      soloHead = value;
      redraw();
    };
    return el("button", { type: "button", title, style: `--hue:${colour}`, onpointerenter: only(index),
      onpointerleave: only(null), onfocus: only(index), onblur: only(null) }, name);
  }

  /** Lays everything out. before: what was drawn last; resized: whether the panel may have another size. */
  function arrange(before, resized) {
    const { list, sides } = current, rows = Math.max(list.query.length, list.key.length), header = size * 2;
    if (resized && isPresented) side = stage.clientHeight;
    const row = isPresented ? presentedRowHeight(rows, side - header - 1, size) : rowHeight(rows, side - header, size);
    const pen = canvas.getContext("2d");
    const high = header + rows * row + 1, target = scrolled && follow(before) * row;
    if (resized || high !== room.high || target !== scrolled) fitStage(high, target);
    const { width, height } = room;
    pen.font = numberFont(theme);
    const numbers = Math.ceil(pen.measureText("0.0000").width) + size;
    pen.font = `600 ${size}px ${theme.font}`; // marked names are bold, and wider
    const wide = (name) => Math.ceil(pen.measureText(name.slice(0, LONG)).width);
    // A title is above names and numbers, and may be longer than both.
    const title = (side) => wide(labelsOf(current)[side]) - numbers;
    const widest = (side) => list[side].reduce((most, unit) => Math.max(most, wide(sides[side].labels[unit])),
      Math.max(size * 2, title(side)));
    const columns = columnsOf(width, theme.side * WIDEST, size, { query: widest("query"), key: widest("key") }, numbers,
      pair ? 10 : 8);
    const offsetOf = (index, scrolled) => header + (index + 0.5) * row - scrolled;
    layout = { width, height, header, row, offsetOf, ...columns };
    fittedNames.clear();
  }

  /** The row that is on top: the same query as before, or the same row if it is gone. */
  function follow(before) {
    const row = scrolled / layout.row, { list } = before;
    if (list === current.list) return row;
    const shift = before.unit !== current.unit ? null // words in place of tokens
      : shiftOf(list.query, Math.round(row), Infinity, current.axes.rowOf, before.sides.query, current.sides.query);
    return Math.max(row + shift, 0);
  }

  /** Gives the names their height and measures what is visible of them, which makes the browser lay out the page. */
  function fitStage(high, target) {
    content.style.height = `${high}px`; // first: a scrollbar reduces the width
    stage.scrollTop = target; // lost if the view was moved to another column
    scrolled = stage.scrollTop; // limited by the height
    room = { high, width: stage.clientWidth, height: stage.clientHeight };
  }

  function paint() {
    frame = 0;
    number.show(String(count()));
    const pen = prepareCanvas(canvas, layout.width, layout.height);
    drawScene(pen, { ...scene(), focus: hovered ?? selectedName(current), hoveredLink: store.get().hover, soloHead });
  }

  const count = () => selectedCount ?? defaultCount(Math.max(current.sides.query.count, current.sides.key.count));

  /** What is drawn, with what is selected and without what is hovered. */
  function scene() {
    const { query, key, isSquare } = current, selected = selectedName(current);
    // Within one sentence the selected token is the query even while the views show what attends to it.
    const marks = isSquare && selected?.side === "key" ? { query: null, key: selected.unit } : { query, key };
    return { ...current, ...marks, layout, scrolled, theme, count: count(), focus: selected, hoveredLink: null,
      soloHead: null, pair, unit: context.input.unit, labels: labelsOf(current), fittedNames };
  }

  /** Redraws this view only, in the next frame. */
  function redraw() {
    if (layout) frame ||= requestAnimationFrame(paint);
  }

  /** Scrolls the names, never the page: just far enough to show a name, or to the middle if it is far away. */
  function reveal({ side, unit }) {
    const index = current.map ? current.map[side === "query" ? "rowOf" : "columnOf"][unit] : -1;
    if (!(index >= 0)) return;
    const { row, header, height } = layout, above = index * row, below = above + row - (height - header);
    const near = Math.min(Math.max(scrolled, below), above), far = Math.abs(near - scrolled) > 2 * row;
    if (near === scrolled) return;
    stage.scrollTop = far ? Math.round((above + below) / 2 / row) * row : near;
    scrolled = stage.scrollTop; // limited by the height of the content
  }

  listenToLinks({ stage, store, current: () => current,
    tokenUnder({ clientX, clientY }) {
      const box = canvas.getBoundingClientRect();
      return current.map && tokenAt(layout, stage.scrollTop, current.list, clientX - box.left, clientY - box.top);
    },
    onhover(token) {
      stage.style.cursor = token ? "pointer" : "";
      if (token?.side === hovered?.side && token?.unit === hovered?.unit) return;
      hovered = token;
      redraw();
    },
    onscroll() {
      scrolled = stage.scrollTop; // stored: reading it while drawing would make the browser lay out the page
      redraw();
    } });

  return {
    element,
    draw(state, derived, changed) {
      const fresh = derived.map ? sourceOf(derived) !== current.source
        : derived.sides !== current.sides;
      const before = current, only = (...names) => [...changed].every((name) => names.includes(name));
      if (fresh) update(state, derived);
      else if (derived.map) {
        Object.assign(current, { query: derived.query, key: derived.key, token: derived.token, over: derived.over });
      }
      stage.classList.toggle("waiting", !derived.map);
      const resized = changed.has("size") || changed.has("views"), moved = isNew("axes", derived.axes) || resized;
      if (moved) arrange(before, resized);
      const selected = selectedName(current);
      if ((isNew("selected", selected?.side, selected?.unit) || moved) && selected) reveal(selected);
      if (fresh || !only(...IRRELEVANT)) paint();
    },
  };
}
