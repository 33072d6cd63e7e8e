// The chosen heads as links: queries on the left, keys on the right, a curve for the strongest weights of each query.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { memory } from "../shared/memory.js";
import { headName } from "../shared/names.js";
import { prepareCanvas, saveCanvas } from "./canvas.js";
import { stepped } from "./keyboard.js";
import { drawScene } from "./links_drawing.js";
import { columnsOf, MOST, rowHeight, strongest, tokenAt, usual } from "./links_layout.js";
import { drawHues, numberFont } from "./links_names.js";
import { chooser, panel } from "./panel.js";

const LONG = 40; // characters: no name is measured beyond
const APART = 1.25; // times the height of the view, the ends of a link: the eye loses longer ones
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
  const said = { query: say("links_queries"), key: say("links_keys_column"), weight: say("weight") };
  // What is drawn: it stays while the weights of other heads are fetched.
  let drawn = { each: null }, layout = null, wanted = null, hovered = null, alone = null, frame = 0, scrolled = 0;
  const kept = new Map(), renewed = memory(); // kept: names as they were cut

  function take(state, shown) {
    const several = shown.each.length > 1, before = drawn.units;
    drawn = { ...shown, heads: several ? state.heads : [], ranked: shown.each.map((map) => strongest(map, MOST)),
      list: { query: shown.axes.queries, key: shown.axes.keys },
      colours: several ? shown.each.map((_, index) => context.colourOfHead(index)) : [theme.accent] };
    if (shown.units.count !== before?.count) hovered = null;
    alone = null;
    note.textContent = say(several ? "links_note_several" : "links_note");
    hues.hidden = !several;
    hues.replaceChildren(...drawn.heads.map(hue));
  }

  /** A head in the legend: pointed at, it is drawn alone. */
  function hue([layer, head], index) {
    const only = (value) => () => {
      alone = value;
      redraw();
    };
    return el("button", { type: "button", title: say("of_head", { layer: layer + 1, head: head + 1 }),
      style: `--hue:${drawn.colours[index]}`, onpointerenter: only(index), onpointerleave: only(null),
      onfocus: only(index), onblur: only(null) }, headName(layer, head));
  }

  /** Room for everything, at the width that the panel has now. */
  function arrange() {
    const { list, units } = drawn, rows = Math.max(list.query.length, list.key.length), header = size * 2;
    const row = rowHeight(rows, theme.side - header, size), pen = canvas.getContext("2d");
    content.style.height = `${header + rows * row + 1}px`; // first: a scrollbar takes of the width
    stage.scrollTop = scrolled; // lost where the view was moved to another column
    const [width, height] = [stage.clientWidth, stage.clientHeight];
    pen.font = numberFont(theme);
    const numbers = Math.ceil(pen.measureText("0.0000").width) + size;
    pen.font = `600 ${size}px ${theme.font}`; // marked names are bold, and wider
    const wide = (unit) => Math.ceil(pen.measureText(units.labels[unit].slice(0, LONG)).width);
    const widest = (side) => list[side].reduce((most, unit) => Math.max(most, wide(unit)), size * 2);
    const columns = columnsOf(width, theme.side * APART, size, { query: widest("query"), key: widest("key") }, numbers,
      input.pair ? 10 : 8);
    const placeOf = (place, scrolled) => header + (place + 0.5) * row - scrolled;
    layout = { width, height, header, row, placeOf, ...columns };
    kept.clear();
  }

  function paint() {
    frame = 0;
    const { query, key } = drawn, count = wanted ?? usual(drawn.units.count);
    const chosen = query !== null ? { side: "query", unit: query } : key !== null ? { side: "key", unit: key } : null;
    number.show(String(count));
    const pen = prepareCanvas(canvas, layout.width, layout.height);
    drawScene(pen, { ...drawn, layout, scrolled, theme, count, focus: hovered ?? chosen,
      pointed: store.get().hover, alone, pair: input.pair, said, kept });
  }

  /** Draws this view alone, in the next frame. */
  function redraw() {
    if (layout) frame ||= requestAnimationFrame(paint);
  }

  /** Scrolls the names, never the page: by as little as shows the next query, or to the middle where it is far. */
  function reveal(unit) {
    const at = drawn.map && unit !== null ? drawn.map.rowOf[unit] : -1;
    if (!(at >= 0)) return;
    const { row, header, height } = layout, now = scrolled;
    const above = at * row, below = above + row - (height - header), near = Math.min(Math.max(now, below), above);
    const far = Math.abs(near - now) > 2 * row;
    if (near === now) return;
    stage.scrollTop = far ? Math.round((above + below) / 2 / row) * row : near;
    scrolled = stage.scrollTop; // as far as there is something to scroll
  }

  const at = ({ clientX, clientY }) => {
    const box = canvas.getBoundingClientRect();
    return drawn.map && tokenAt(layout, stage.scrollTop, drawn.list, clientX - box.left, clientY - box.top);
  };
  const hover = (token) => {
    stage.style.cursor = token ? "pointer" : "";
    if (token?.side === hovered?.side && token?.unit === hovered?.unit) return;
    hovered = token;
    redraw();
  };
  const select = (query) => store.set({
    query: query === null ? null : drawn.units.first[query], key: null, range: null });

  stage.addEventListener("scroll", () => {
    scrolled = stage.scrollTop; // kept: asking while the views are drawn would make the browser lay out the page
    redraw();
  });
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
    const { query } = store.get(); // several presses may come before they are drawn
    select(stepped(drawn.map.queries, query === null ? null : drawn.units.of[query], step));
  });

  /** What is seen, below the names of its heads where there are several. */
  function save() {
    const { heads } = drawn, above = heads.length ? size * 2 : 0, picture = el("canvas");
    const pen = prepareCanvas(picture, layout.width, layout.height + above);
    drawHues(pen, { theme, ...drawn }, above / 2);
    pen.drawImage(canvas, 0, above, layout.width, layout.height);
    saveCanvas(picture, theme.background, "links");
  }

  return {
    element,
    draw(state, shown, changed) {
      const fresh = shown.map ? shown.each !== drawn.each : !drawn.map && shown.units !== drawn.units;
      const before = drawn.query, only = (...names) => [...changed].every((name) => names.includes(name));
      if (fresh) take(state, shown);
      else if (shown.map) Object.assign(drawn, { query: shown.query, key: shown.key });
      stage.classList.toggle("waiting", !shown.map);
      const moved = renewed("axes", shown.axes) || changed.has("size") || changed.has("views");
      if (moved) arrange();
      if (moved || drawn.query !== before) reveal(drawn.query);
      if (fresh || !only(...ELSEWHERE)) paint();
    },
  };
}
