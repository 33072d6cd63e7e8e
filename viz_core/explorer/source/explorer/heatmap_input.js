// Pointers and keys on the heat map: they select cells and ranges, and move what is seen.

import { listenToPointers } from "./gestures.js";
import { stepped } from "./keyboard.js";
import { cellAt, panned, revealed, zoomed, zoomedTo } from "./viewport.js";

export const ZOOM = 1.5; // a press of a zoom button

/**
 * stage: what is pointed at. now(): what is drawn, `{ shown, frame, viewport, left, top }`, as in heatmap.js. look(viewport)
 * shows another part of it. moving(): whether a drag moves it, and does not brush. boxOf(range): its rows and columns.
 */
export function listenToHeatmap({ stage, input, store, now, look, moving, boxOf }) {
  listenToPointers(stage, pointersOf(store, now, look), moving);
  const actions = { ...steps, ...zooms(store, now, look, boxOf) };
  stage.addEventListener("keydown", (event) => {
    const action = actions[event.key];
    if (!action || !now().shown.map || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (typeof action === "function") action();
    else if (event.shiftKey) extend(store, input, action);
    else step(store, now(), look, action);
  });
}

const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }; // down, right

function zooms(store, now, look, boxOf) {
  const zoom = (factor) => () => look(enlarged(now(), factor));
  return {
    "+": zoom(ZOOM), "=": zoom(ZOOM), "-": zoom(1 / ZOOM), 0: () => look({ x: 0, y: 0, cell: now().frame.least }),
    z() {
      const box = boxOf(store.get().range);
      if (box) look(zoomedTo(now().frame, box.rows, box.columns));
    },
  };
}

/** Enlarged around its middle. */
export const enlarged = ({ viewport, frame }, factor) => zoomed(viewport, frame, factor, frame.width / 2, frame.height / 2);

function pointersOf(store, now, look) {
  const cellUnder = ({ frame, viewport, left, top }, point) => (
    frame && cellAt(viewport, frame, point.left - left, point.top - top));
  return {
    hover(point) {
      const { map } = now().shown, cell = map && cellUnder(now(), point);
      store.set({ hover: cell ? { query: map.queries[cell.row], key: map.keys[cell.column] } : null });
    },
    leave: () => store.set({ hover: null }),
    /** On a name: its row or column alone; on a cell: both. */
    tap(point) {
      const { shown: { map, units }, left, top } = now();
      const cell = map && cellUnder(now(), { left: Math.max(point.left, left), top: Math.max(point.top, top) });
      if (!cell || (point.left < left && point.top < top)) return;
      const query = units.first[map.queries[cell.row]], key = units.first[map.keys[cell.column]];
      if (point.left < left) store.set({ query, range: null });
      else if (point.top < top) store.set({ key, range: null });
      else store.set({ query, key, range: null });
    },
    brush(from, to) {
      const { shown: { map, units }, frame, left, top } = now();
      if (!map) return;
      const [start, end] = [from, to].map((point) => cellUnder(now(), {
        left: Math.min(Math.max(point.left, left), left + frame.width - 1),
        top: Math.min(Math.max(point.top, top), top + frame.height - 1) }));
      store.set({ hover: null, range: { queries: tokensBetween(map.queries, start.row, end.row, units),
        keys: tokensBetween(map.keys, start.column, end.column, units) } });
    },
    cancel: () => store.set({ range: null }),
    pan: (right, down) => look(panned(now().viewport, now().frame, right, down)),
    zoom: (factor, { left, top }) => look(zoomed(now().viewport, now().frame, factor, left - now().left, top - now().top)),
    scroll(right, down) {
      const { viewport, frame } = now(), next = panned(viewport, frame, -right, -down);
      const moves = next.x !== viewport.x || next.y !== viewport.y;
      if (moves) look(next);
      return moves;
    },
  };
}

/** First and last token of the units between two places of a list, whichever comes first. */
function tokensBetween(list, a, b, { first, size }) {
  const last = list[Math.max(a, b)];
  return [first[list[Math.min(a, b)]], first[last] + size[last] - 1];
}

function step(store, { shown: { map, units }, viewport, frame }, look, [down, right]) {
  const { query, key } = store.get(); // several presses may come before they are drawn
  const unit = (token) => (token === null ? null : units.of[token]);
  const to = { query: down ? stepped(map.queries, unit(query), down) : unit(query),
    key: right ? stepped(map.keys, unit(key), right) : unit(key) };
  const first = (at) => (at === null ? null : units.first[at]);
  store.set({ query: first(to.query), key: first(to.key), range: null });
  look(revealed(viewport, frame, Math.max(map.rowOf[to.query ?? 0], 0), Math.max(map.columnOf[to.key ?? 0], 0)));
}

/** The far end of the range moves, as in a text editor. */
function extend(store, input, [down, right]) {
  const { query, key, range } = store.get();
  const now = range ?? { queries: [query ?? 0, query ?? 0], keys: [key ?? 0, key ?? 0] };
  const moved = ([from, to], by) => [from, Math.min(Math.max(to + by, from), input.tokens - 1)];
  store.set({ range: { queries: moved(now.queries, down), keys: moved(now.keys, right) } });
}
