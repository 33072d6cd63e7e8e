// Pointer and keyboard input on the heat map: selecting cells and ranges, panning and zooming.

import { listenToPointers } from "./gestures.js";
import { nextItem } from "./keyboard.js";
import { sidesOf } from "./units.js";
import { cellAt, panBy, revealCell, zoomAt, zoomToRange } from "./viewport.js";

export const ZOOM = 1.5; // factor of a zoom button or key

/**
 * stage: the element listened to. current(): what is drawn, `{ derived, frame, viewport, left, top }`, as in
 * heatmap.js. show(viewport): shows another part. moving(): whether a drag pans instead of selecting. boxOf(range): its
 * rows and columns.
 */
export function listenToHeatmap({ stage, context, current, show, moving, boxOf }) {
  const { store } = context;
  listenToPointers(stage, pointersOf(store, current, show), moving);
  const actions = { ...steps, ...zooms(store, current, show, boxOf) };
  stage.addEventListener("keydown", (event) => {
    const action = actions[event.key];
    if (!action || !current().derived.map || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (typeof action === "function") action();
    else if (event.shiftKey) extend(context, action);
    else step(store, current(), show, action);
  });
}

const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }; // down, right

function zooms(store, current, show, boxOf) {
  const zoom = (factor) => () => show(zoomAtCentre(current(), factor));
  return {
    "+": zoom(ZOOM), "=": zoom(ZOOM), "-": zoom(1 / ZOOM), 0: () => show({ x: 0, y: 0, cell: current().frame.least }),
    z() {
      const box = boxOf(store.get().range);
      if (box) show(zoomToRange(current().frame, box.rows, box.columns));
    },
  };
}

/** Zoomed around the centre. */
export const zoomAtCentre = ({ viewport, frame }, factor) => (
  zoomAt(viewport, frame, factor, frame.width / 2, frame.height / 2));

function pointersOf(store, current, show) {
  const cellUnder = ({ frame, viewport, left, top }, point) => (
    frame && cellAt(viewport, frame, point.left - left, point.top - top));
  return {
    hover(point) {
      const { map } = current().derived, cell = map && cellUnder(current(), point);
      store.set({ hover: cell ? { query: map.queries[cell.row], key: map.keys[cell.column] } : null });
    },
    leave: () => store.set({ hover: null }),
    /** On a name: selects its row or column only; on a cell: both. */
    tap(point) {
      const { derived: { map, sides }, left, top } = current();
      const cell = map && cellUnder(current(), { left: Math.max(point.left, left), top: Math.max(point.top, top) });
      if (!cell || (point.left < left && point.top < top)) return;
      const query = sides.query.first[map.queries[cell.row]], key = sides.key.first[map.keys[cell.column]];
      if (point.left < left) store.set({ query, range: null });
      else if (point.top < top) store.set({ key, range: null });
      else store.set({ query, key, range: null });
    },
    brush(from, to) {
      const { derived: { map, sides }, frame, left, top } = current();
      if (!map) return;
      const [start, end] = [from, to].map((point) => cellUnder(current(), {
        left: Math.min(Math.max(point.left, left), left + frame.width - 1),
        top: Math.min(Math.max(point.top, top), top + frame.height - 1) }));
      store.set({ hover: null, range: { queries: tokensBetween(map.queries, start.row, end.row, sides.query),
        keys: tokensBetween(map.keys, start.column, end.column, sides.key) } });
    },
    cancel: () => store.set({ range: null }),
    pan: (right, down) => show(panBy(current().viewport, current().frame, right, down)),
    zoom(factor, point) {
      const { viewport, frame, left, top } = current();
      show(zoomAt(viewport, frame, factor, point.left - left, point.top - top));
    },
    scroll(right, down) {
      const { viewport, frame } = current(), next = panBy(viewport, frame, -right, -down);
      const moves = next.x !== viewport.x || next.y !== viewport.y;
      if (moves) show(next);
      return moves;
    },
  };
}

/** First and last token of the units between two indices of a list, in either order. */
function tokensBetween(list, a, b, { first, size }) {
  const last = list[Math.max(a, b)];
  return [first[list[Math.min(a, b)]], first[last] + size[last] - 1];
}

function step(store, { derived: { map, sides }, viewport, frame }, show, [down, right]) {
  const { query, key } = store.get(); // several presses may come before they are drawn
  const unit = (side, token) => (token === null ? null : sides[side].of[token]);
  const target = { query: down ? nextItem(map.queries, unit("query", query), down) : unit("query", query),
    key: right ? nextItem(map.keys, unit("key", key), right) : unit("key", key) };
  const first = (side) => (target[side] === null ? null : sides[side].first[target[side]]);
  store.set({ query: first("query"), key: first("key"), range: null });
  const row = map.rowOf[target.query ?? 0], column = map.columnOf[target.key ?? 0];
  show(revealCell(viewport, frame, Math.max(row, 0), Math.max(column, 0)));
}

/** Moves the far end of the range, as in a text editor. */
function extend({ store, input }, [down, right]) {
  const { query, key, range } = store.get(), sides = sidesOf(input);
  const start = range ?? { queries: [query ?? 0, query ?? 0], keys: [key ?? 0, key ?? 0] };
  const extended = ([from, to], by, { tokens }) => [from, Math.min(Math.max(to + by, from), tokens - 1)];
  store.set({ range: { queries: extended(start.queries, down, sides.query),
    keys: extended(start.keys, right, sides.key) } });
}
