// The chosen heads as links: queries on the left, keys on the right, a curve for the strongest weights of each query.

import { el, prepared } from "./dom.js";
import { stepped } from "./keyboard.js";
import { drawScene, numberFont } from "./links_drawing.js";
import { columnsOf, MOST, rowHeight, strongest, tokenAt, usual } from "./links_layout.js";
import { button, chooser, panel, saveCanvas } from "./panel.js";

const LONG = 40; // characters: no name is measured beyond
// What leaves the picture as it is.
const ELSEWHERE = ["scale", "direction", "viewport", "order", "alike", "help", "range", "failed"];

export function createLinks(context) {
  const { input, say, store } = context, { theme } = input, size = theme.small;
  const canvas = el("canvas"), content = el("div", {}, canvas);
  const stage = el("div", { class: "stage", tabindex: "0", role: "group", "aria-label": say("links_keys") }, content);
  const counts = Object.fromEntries(Array.from({ length: MOST }, (_, index) => [index + 1, String(index + 1)]));
  const number = chooser(say("links_shown"), counts, (value) => {
    wanted = Number(value);
    redraw();
  });
  const hues = el("div", { class: "hues", hidden: true });
  const { element, note } = panel(context, "links", stage, number.element, button("PNG", say("save_png"), save));
  note.after(hues);
  const headings = { query: say("links_queries"), key: say("links_keys_column") };
  // What is drawn: it stays while the weights of other heads are fetched.
  let drawn = { each: null }, layout = null, wanted = null, hovered = null, alone = null, frame = 0;

  function take(state, shown) {
    const heads = shown.each.length > 1 ? state.heads : [], everything = Array.from(shown.units.labels.keys());
    drawn = { ...shown, heads, everything: { queries: everything, keys: everything },
      ranked: shown.each.map((map) => strongest(map, MOST)),
      colours: heads.length ? heads.map((_, index) => context.colourOfHead(index)) : [theme.accent] };
    hovered = alone = null;
    note.textContent = say(heads.length ? "links_note_several" : "links_note");
    hues.hidden = !heads.length;
    hues.replaceChildren(...heads.map(hue));
  }

  /** A head in the legend: pointed at, it is drawn alone. */
  function hue([layer, head], index) {
    const only = (value) => () => {
      alone = value;
      redraw();
    };
    return el("button", { type: "button", style: `--hue:${drawn.colours[index]}`, onpointerenter: only(index),
      onpointerleave: only(null), onfocus: only(index), onblur: only(null) }, `${layer + 1}.${head + 1}`);
  }

  /** Room for everything, at the width that the panel has now. */
  function arrange() {
    const pen = canvas.getContext("2d"), { queries, keys } = drawn.map ?? drawn.everything;
    const rows = Math.max(queries.length, keys.length), header = Math.round(size * 2);
    const row = rowHeight(rows, theme.side - header, size);
    content.style.height = `${header + rows * row + 1}px`;
    pen.font = `600 ${size}px ${theme.font}`;
    const widest = (units) => Math.ceil(units.reduce((most, unit) => Math.max(
      most, pen.measureText(drawn.units.labels[unit].slice(0, LONG)).width), size));
    pen.font = numberFont(theme);
    const numbers = Math.ceil(pen.measureText("0.0000").width) + 12;
    pen.font = `600 ${size}px ${theme.font}`;
    const [width, height] = [stage.clientWidth, stage.clientHeight];
    layout = { width, height, header, row, cut: new Map(), ...columnsOf(
      width, theme.side, size, { query: widest(queries), key: widest(keys) }, numbers, input.pair ? 10 : 8) };
  }

  function paint() {
    frame = 0;
    const { query, key } = drawn, count = wanted ?? usual(drawn.units.count);
    const chosen = query !== null ? { side: "query", unit: query } : key !== null ? { side: "key", unit: key } : null;
    number.show(String(count));
    drawScene(prepared(canvas, layout.width, layout.height), { ...drawn, layout, scrolled: stage.scrollTop, theme, count,
      focus: hovered ?? chosen, pointed: store.get().hover, alone, pair: input.pair, headings, cut: layout.cut });
  }

  /** Draws this view alone, in the next frame. */
  function redraw() {
    if (layout) frame ||= requestAnimationFrame(paint);
  }

  /** Scrolls the names, never the page: by as little as shows the next query, or to the middle where it is far. */
  function reveal(unit) {
    const at = drawn.map && unit !== null ? drawn.map.rowOf[unit] : -1;
    if (!(at >= 0)) return;
    const { row, header, height } = layout, now = stage.scrollTop, above = at * row, below = above + row - (height - header);
    const near = Math.min(Math.max(now, below), above);
    if (near !== now) stage.scrollTop = Math.abs(near - now) <= 2 * row ? near : (above + below) / 2;
  }

  const at = ({ clientX, clientY }) => {
    const box = canvas.getBoundingClientRect();
    return drawn.map && tokenAt(layout, stage.scrollTop, drawn.map, clientX - box.left, clientY - box.top);
  };
  const hover = (token) => {
    stage.style.cursor = token ? "pointer" : "";
    if (token?.side === hovered?.side && token?.unit === hovered?.unit) return;
    hovered = token;
    redraw();
  };
  const select = (query) => store.set({
    query: query === null ? null : drawn.units.first[query], key: null, range: null });

  stage.addEventListener("scroll", redraw);
  stage.addEventListener("pointermove", (event) => { if (event.pointerType !== "touch") hover(at(event)); });
  stage.addEventListener("pointerleave", () => hover(null));
  stage.addEventListener("click", (event) => {
    const token = at(event);
    if (!token) return;
    if (token.side === "query") select(token.unit === drawn.query ? null : token.unit);
    else store.set({ key: token.unit === drawn.key ? null : drawn.units.first[token.unit], range: null });
  });
  stage.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step || !drawn.map?.queries.length) return;
    event.preventDefault();
    hover(null); // the keyboard has the word now, wherever the pointer rests
    select(stepped(drawn.map.queries, drawn.query, step));
  });

  function save() {
    saveCanvas(canvas, theme.background, "links");
  }

  return {
    element,
    draw(state, shown, changed) {
      const fresh = shown.map ? shown.each !== drawn.each : !drawn.map && shown.units !== drawn.units;
      const before = drawn.query;
      if (fresh) take(state, shown);
      else Object.assign(drawn, shown.map ? { query: shown.query, key: shown.key } : {});
      stage.classList.toggle("waiting", !shown.map);
      const same = !fresh && layout && [...changed].every((name) => [...ELSEWHERE, "hover", "query", "key"].includes(name));
      if (!same) arrange();
      if (fresh || drawn.query !== before) reveal(drawn.query);
      if (![...changed].every((name) => ELSEWHERE.includes(name))) paint();
    },
  };
}
