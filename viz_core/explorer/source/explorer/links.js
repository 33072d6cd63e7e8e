// The selected heads as links: queries on the left, keys on the right, a curve for the strongest weights of each query.

/** @import { Axes, SideName, UnitsOfSides } from "../shared/records.js" */

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { headLabel } from "../shared/names.js";
import { remember, same } from "../shared/remember.js";
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
  let current = {};
  /** @type {ReturnType<typeof columnsOf> & { width: number, height: number, header: number, row: number,
   *   offsetOf: (index: number, scrolled: number) => number }} */
  let layout;
  /** @type {{ unit: string, sides: UnitsOfSides, axes: Axes }} of the layout */
  let fitted;
  /** @type {{ side: SideName, unit: number } | null} */
  let hovered = null;
  /** @type {number | null} */
  let selectedCount = null;
  /** @type {number | null} */
  let soloHead = null;
  let frame = 0, scrolled = 0, room = {}; // room: height of the content, and what is visible of it, px
  const fittedNames = new Map(); // names cut to fit

  /** The maps to draw, each with its colour and its name in the legend; a single map needs no name. */
  function layersOf(maps, sizes, heads) {
    if (sizes) {
      return ["stronger", "weaker"].map((side, index) => ({ map: sizes[side], name: say(side),
        title: say(`${side}_help`), colour: index ? theme.diverging[1] : theme.diverging.at(-2) }));
    }
    if (maps.length < 2) return maps.map((map) => ({ map, colour: theme.accent }));
    return maps.map((map, index) => {
      const [layer, head] = heads[index], title = say("of_head", { layer: layer + 1, head: head + 1 });
      return { map, name: headLabel(context.input, layer, head), title, colour: context.colourOfHead(index) };
    });
  }

  const forgetHovered = remember((_queries, _keys) => { hovered = null; });

  /** What is drawn of the heads; unchanged while only the selection changes. sizes: of a difference. */
  const prepare = remember(({ all, sizes, heads, axes, isSquare }) => {
    const layers = layersOf(all, sizes, heads), maps = layers.map(({ map }) => map), several = layers.length > 1;
    soloHead = null;
    note.textContent = say(`links_note${sizes ? "_difference" : several ? "_several" : isSquare ? "" : "_cross"}`);
    hues.hidden = !several;
    hues.replaceChildren(...(several ? layers.map(hue) : []));
    return { maps, layers: several ? layers : [], ranked: maps.map((map) => strongestLinks(map, MOST)),
      list: { query: axes.queries, key: axes.keys }, colours: layers.map(({ colour }) => colour) };
  });

  /** A head in the legend: hovering over it shows this head only. */
  function hue({ name, title, colour }, index) {
    const only = (value) => () => {
      soloHead = value;
      redraw();
    };
    return el("button", { type: "button", title, style: `--hue:${colour}`, onpointerenter: only(index),
      onpointerleave: only(null), onfocus: only(index), onblur: only(null) }, name);
  }

  const heightIn = remember((_place) => (isPresented ? stage.clientHeight : theme.side));

  /** Lays everything out. */
  const arrange = remember((unit, sides, axes, isSquare, place) => {
    const list = { query: axes.queries, key: axes.keys }, labels = labelsOf({ isSquare }), before = fitted;
    const rows = Math.max(list.query.length, list.key.length), header = size * 2, side = heightIn(place);
    fitted = { unit, sides, axes };
    const row = isPresented ? presentedRowHeight(rows, side - header - 1, size) : rowHeight(rows, side - header, size);
    const pen = canvas.getContext("2d");
    const high = header + rows * row + 1, target = scrolled && follow(before, fitted) * row;
    if (!same(place, room.place) || high !== room.high || target !== scrolled) fitStage(high, target, place);
    const { width, height } = room;
    pen.font = numberFont(theme);
    const numbers = Math.ceil(pen.measureText("0.0000").width) + size;
    pen.font = `600 ${size}px ${theme.font}`; // marked names are bold, and wider
    const wide = (name) => Math.ceil(pen.measureText(name.slice(0, LONG)).width);
    // A title is above names and numbers, and may be longer than both.
    const title = (side) => wide(labels[side]) - numbers;
    const widest = (side) => list[side].reduce((most, unit) => Math.max(most, wide(sides[side].labels[unit])),
      Math.max(size * 2, title(side)));
    const columns = columnsOf(width, theme.side * WIDEST, size, { query: widest("query"), key: widest("key") }, numbers,
      pair ? 10 : 8);
    const offsetOf = (index, scrolled) => header + (index + 0.5) * row - scrolled;
    layout = { width, height, header, row, offsetOf, ...columns };
    fittedNames.clear();
  });

  /** The row that is on top: the same query as before, or the same row if it is gone. */
  function follow(before, now) {
    const row = scrolled / layout.row;
    if (before.axes === now.axes) return row;
    const shift = before.unit !== now.unit ? null // words in place of tokens
      : shiftOf(before.axes.queries, Math.round(row), Infinity, now.axes.rowOf, before.sides.query, now.sides.query);
    return Math.max(row + (shift ?? 0), 0);
  }

  /** Gives the names their height and measures what is visible of them, which makes the browser lay out the page. */
  function fitStage(high, target, place) {
    content.style.height = `${high}px`; // first: a scrollbar reduces the width
    stage.scrollTop = target; // lost if the view was moved to another column
    scrolled = stage.scrollTop; // limited by the height
    room = { place, high, width: stage.clientWidth, height: stage.clientHeight };
  }

  function paint() {
    frame = 0;
    showNumber(String(count()));
    drawOn({ ...scene(), focus: hovered ?? selectedName(current), hoveredLink: store.get().hover, soloHead }, devicePixelRatio);
  }

  const showNumber = remember(number.show);
  const drawOn = remember((scene, ratio) => (
    drawScene(prepareCanvas(canvas, scene.layout.width, scene.layout.height, ratio), scene)));

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

  /**
   * Scrolls the names, never the page: just far enough to show a name, or to the middle if it is far away. _layout: the
   * present one, after which a name is sought again.
   */
  const reveal = remember((selected, _layout) => {
    if (!selected) return;
    const { side, unit } = selected;
    const index = current.map ? current.map[side === "query" ? "rowOf" : "columnOf"][unit] : -1;
    if (!(index >= 0)) return;
    const { row, header, height } = layout, above = index * row, below = above + row - (height - header);
    const near = Math.min(Math.max(scrolled, below), above), far = Math.abs(near - scrolled) > 2 * row;
    if (near === scrolled) return;
    stage.scrollTop = far ? Math.round((above + below) / 2 / row) * row : near;
    scrolled = stage.scrollTop; // limited by the height of the content
  });

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
    draw({ heads }, derived, place) {
      const { sides, axes, isSquare, maps, map, difference } = derived;
      if (map || sides !== current.sides) {
        forgetHovered(sides.query.count, sides.key.count);
        current = { ...derived, ...prepare({ all: maps, sizes: difference?.sizes, heads, axes, isSquare }),
          map: map && (difference?.sizes.all ?? map), changes: difference?.map.weights };
      }
      stage.classList.toggle("waiting", !map);
      arrange(current.unit, current.sides, current.axes, isSquare, place);
      reveal(selectedName(current), layout);
      paint();
    },
  };
}
