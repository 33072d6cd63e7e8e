// The chosen head as a heat map: queries from top to bottom, keys from left to right, names that stay in sight.

import { roomForColumns, roomForRows } from "./axis.js";
import { name, span } from "./cells.js";
import { el, prepared } from "./dom.js";
import { listenToPointers } from "./gestures.js";
import { drawCells, drawMarks, paintThumbnail, paintWeights, stripeOf } from "./heatmap_drawing.js";
import { stepped } from "./keyboard.js";
import { createLegend } from "./legend.js";
import { memory } from "./memory.js";
import { button, chooser, panel, saveCanvas } from "./panel.js";
import { cellAt, clamped, fit, panned, revealed, zoomed, zoomedTo } from "./viewport.js";

const ZOOM = 1.5; // a press of a zoom button
const NARROWEST = 120; // px
const LARGEST = 6; // times the height of the type: a cell
// A change of these alone moves marks, not cells.
const MARKS = ["hover", "query", "key", "range", "direction", "order", "alike", "help", "failed"];

export function createHeatmap(context) {
  const { input, say, store } = context, { theme } = input;
  const canvas = el("canvas"), over = el("canvas", { class: "over" }), tip = el("div", { class: "tip", hidden: true });
  const stage = el("div", { class: "stage", tabindex: "0", role: "group", "aria-label": say("heatmap_keys") }, canvas, over, tip);
  const mode = chooser(say("drag"), { select: say("drag_select"), move: say("drag_move") }, setMode);
  const legend = createLegend(context);
  const zoom = (factor) => () => look(zoomed(viewport, frame, factor, frame.width / 2, frame.height / 2));
  const { element, note } = panel(context, "heatmap", stage, mode.element,
    button("−", say("zoom_out"), zoom(1 / ZOOM)), button("+", say("zoom_in"), zoom(ZOOM)),
    button(say("zoom_all"), say("zoom_all_help"), () => look({ x: 0, y: 0, cell: frame.least })),
    button("PNG", say("save_png"), save));
  element.append(legend.element);
  note.textContent = say("heatmap_note");
  const image = el("canvas"), renewed = memory(); // the image has one pixel a cell
  let shown = null, frame = null, viewport = null, left = 0, top = 0, dragging = "select", painted = [];

  function setMode(value) {
    dragging = value;
    mode.show(value);
    // A finger scrolls the page over a map that is seen as a whole, and moves what is seen of a larger one.
    stage.style.touchAction = value === "move" || (frame && viewport.cell > frame.least) ? "none" : "pan-y";
  }

  function look(next) {
    viewport = next;
    setMode(dragging);
    store.touch("viewport");
  }

  /** Room for names, and the largest square cells with which everything fits; what was enlarged stays so. */
  function arrange() {
    const { queries, keys } = shown.axes, pen = canvas.getContext("2d"), names = (list) => list.map((unit) => shown.units.labels[unit]);
    pen.font = `600 ${theme.small}px ${theme.font}`; // marked names are bold, and wider
    left = roomForRows(pen, names(queries), theme.small) + stripeOf(input.pair);
    const fitting = fit(Math.max(element.clientWidth - left - 2, NARROWEST), theme.side, keys.length, queries.length,
      theme.small * LARGEST);
    top = roomForColumns(pen, names(keys), theme.small, fitting.viewport.cell) + stripeOf(input.pair);
    const enlarged = frame && frame.columns === keys.length && frame.rows === queries.length && viewport.cell > frame.least;
    frame = fitting.frame;
    viewport = enlarged ? clamped(viewport, frame) : fitting.viewport;
  }

  function plotOn(target) {
    const pen = prepared(target, left + frame.width + 2, top + frame.height + theme.small);
    return { pen, theme, left, top, frame, viewport, units: shown.units, map: shown.map, pair: input.pair, ...shown.axes };
  }

  function paint(state) {
    const content = [shown.map, shown.map ? state.scale : state.heads];
    if (content.every((one, index) => one === painted[index])) return;
    painted = content;
    if (shown.map) {
      paintWeights(image, shown.map, theme.sequential, state.scale);
      legend.show(shown.map.largest, state.scale);
    } else if (shown.axes.queries.length === input.tokens && shown.axes.keys.length === input.tokens) {
      paintThumbnail(image, input.thumbnail(...state.heads[0]), input.side, theme.sequential);
    } else Object.assign(image, { width: 1, height: 1 }); // a thumbnail is of all tokens
  }

  function mark(state) {
    const plot = plotOn(over), { map, query, key } = shown;
    tip.hidden = !state.hover || !map;
    if (!map) return;
    const pointed = state.hover && { row: map.rowOf[state.hover.query], column: map.columnOf[state.hover.key] };
    const selected = { row: query === null ? -1 : map.rowOf[query], column: key === null ? -1 : map.columnOf[key] };
    drawMarks(plot, selected, pointed, boxOf(state.range));
    if (pointed) showTip(state.hover, pointed);
  }

  function boxOf(range) {
    const rows = range && span(range.queries, shown.units, shown.map.rowOf);
    const columns = range && span(range.keys, shown.units, shown.map.columnOf);
    return rows && columns ? { rows, columns } : null;
  }

  /** The exact weight, beside the cell that is pointed at. */
  function showTip({ query, key }, { row, column }) {
    const { units, map } = shown, { x, y, cell } = viewport;
    tip.replaceChildren(el("b", {}, map.weights[row * map.keys.length + column].toFixed(4)),
      el("span", {}, `${name(units, query)} → ${name(units, key)}`));
    const right = left + (column + 1 - x) * cell + 10, below = top + (row + 1 - y) * cell + 10;
    const flipped = right > left + frame.width * 0.6;
    tip.style.transform = `translate(${flipped ? right - 20 - cell : right}px, ${below}px) translateX(${flipped ? -100 : 0}%)`;
  }

  const cellUnder = (point) => frame && cellAt(viewport, frame, point.left - left, point.top - top);
  const first = (unit) => (unit === null ? null : shown.units.first[unit]);

  listenToPointers(stage, {
    hover(point) {
      const cell = shown.map && cellUnder(point);
      store.set({ hover: cell ? { query: shown.map.queries[cell.row], key: shown.map.keys[cell.column] } : null });
    },
    leave: () => store.set({ hover: null }),
    /** On a name: its row or column alone; on a cell: both. */
    tap(point) {
      const cell = shown.map && cellUnder({ left: Math.max(point.left, left), top: Math.max(point.top, top) });
      if (!cell || (point.left < left && point.top < top)) return;
      const query = first(shown.map.queries[cell.row]), key = first(shown.map.keys[cell.column]);
      if (point.left < left) store.set({ query, range: null });
      else if (point.top < top) store.set({ key, range: null });
      else store.set({ query, key, range: null });
    },
    brush(from, to) {
      const near = (point) => cellUnder({ left: Math.min(Math.max(point.left, left), left + frame.width - 1),
        top: Math.min(Math.max(point.top, top), top + frame.height - 1) });
      if (!shown.map) return;
      const [one, other] = [near(from), near(to)], { first: starts, size } = shown.units;
      const ends = (list, a, b) => {
        const last = list[Math.max(a, b)];
        return [starts[list[Math.min(a, b)]], starts[last] + size[last] - 1];
      };
      store.set({ hover: null, range: { queries: ends(shown.map.queries, one.row, other.row),
        keys: ends(shown.map.keys, one.column, other.column) } });
    },
    cancel: () => store.set({ range: null }),
    pan: (right, down) => look(panned(viewport, frame, right, down)),
    zoom: (factor, point) => look(zoomed(viewport, frame, factor, point.left - left, point.top - top)),
    scroll(right, down) {
      const next = panned(viewport, frame, -right, -down), moves = next.x !== viewport.x || next.y !== viewport.y;
      if (moves) look(next);
      return moves;
    },
  }, () => dragging === "move");

  const keys = {
    ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
    "+": zoom(ZOOM), "=": zoom(ZOOM), "-": zoom(1 / ZOOM), 0: () => look({ x: 0, y: 0, cell: frame.least }),
    z() {
      const box = boxOf(store.get().range);
      if (box) look(zoomedTo(frame, box.rows, box.columns));
    },
  };
  stage.addEventListener("keydown", (event) => {
    const action = keys[event.key];
    if (!action || !shown.map || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (typeof action === "function") action();
    else if (event.shiftKey) extend(action);
    else step(action);
  });

  function step([down, right]) {
    const { map } = shown, chosen = store.get(); // several presses may come before they are drawn
    const [query, key] = [chosen.query, chosen.key].map((token) => (token === null ? null : shown.units.of[token]));
    const to = { query: down ? stepped(map.queries, query, down) : query, key: right ? stepped(map.keys, key, right) : key };
    store.set({ query: first(to.query), key: first(to.key), range: null });
    viewport = revealed(viewport, frame, Math.max(map.rowOf[to.query ?? 0], 0), Math.max(map.columnOf[to.key ?? 0], 0));
    store.touch("viewport");
  }

  /** The far end of the range moves, as in a text editor. */
  function extend([down, right]) {
    const { query, key, range } = store.get();
    const now = range ?? { queries: [query ?? 0, query ?? 0], keys: [key ?? 0, key ?? 0] };
    const moved = ([from, to], by) => [from, Math.min(Math.max(to + by, from), input.tokens - 1)];
    store.set({ range: { queries: moved(now.queries, down), keys: moved(now.keys, right) } });
  }

  function save() {
    const both = el("canvas", { width: canvas.width, height: canvas.height }), pen = both.getContext("2d");
    [canvas, over].forEach((layer) => pen.drawImage(layer, 0, 0));
    saveCanvas(both, theme.background, "attention");
  }

  setMode("select");
  return {
    element,
    draw(state, now, changed) {
      shown = now;
      if (renewed("axes", shown.axes) || changed.has("size") || changed.has("views")) arrange();
      if (![...changed].every((one) => MARKS.includes(one))) {
        paint(state);
        drawCells(plotOn(canvas), image, state.scale);
        stage.classList.toggle("waiting", !shown.map);
      }
      mark(state);
    },
  };
}
