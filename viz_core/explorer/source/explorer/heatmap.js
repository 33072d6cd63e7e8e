// The selected head as a heat map: queries from top to bottom, keys from left to right; labels stay visible.

import { createChangeDetector } from "../shared/change_detector.js";
import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { tokenName } from "../shared/names.js";
import { canAttend, rangeOfSums } from "./attention.js";
import { areTurned, roomForColumns, roomForRows } from "./axis.js";
import { prepareCanvas } from "./canvas.js";
import { leastWritten } from "./cell_numbers.js";
import { indexRange } from "./cells.js";
import { changeLabels, createDifferenceLegend, signed } from "./comparison/legend.js";
import { shiftOf } from "./follow.js";
import { drawCells, drawMarks, formatIn, stripeOf } from "./heatmap_drawing.js";
import { paintDifference, paintThumbnail, paintWeights } from "./heatmap_image.js";
import { listenToHeatmap, ZOOM, zoomAtCentre } from "./heatmap_input.js";
import { createLegend, weightLabels } from "./legend.js";
import { createMinimap } from "./minimap.js";
import { chooser, panel } from "./panel.js";
import { captionOf, savePicture, SHARPNESS } from "./picture.js";
import { clamp, fit } from "./viewport.js";

const NARROWEST = 120; // px
const LARGEST = 6; // em: a cell
// Changes of these alone redraw the marks, not the cells.
const MARKS = ["hover", "query", "key", "range", "direction", "order", "sharedScale", "help", "failed"];

export function createHeatmap(context) {
  const { say, store, theme, isPresented } = context, { pair } = context.input;
  const canvas = el("canvas"), over = el("canvas", { class: "over" }), tip = el("div", { class: "tip", hidden: true });
  const minimap = createMinimap(context, show);
  const stage = el("div", { class: "stage", tabindex: "0", role: "group", "aria-label": say("heatmap_keys") },
    canvas, over, minimap.element, tip);
  const mode = chooser(say("drag"), { select: say("drag_select"), move: say("drag_move") }, setMode);
  const legend = createLegend(context), differenceLegend = createDifferenceLegend(context);
  const zoom = (factor) => () => show(zoomAtCentre({ viewport, frame }, factor));
  const { element, note } = panel(context, "heatmap", stage, mode.element,
    button("−", say("zoom_out"), zoom(1 / ZOOM)), button("+", say("zoom_in"), zoom(ZOOM)),
    button(say("zoom_all"), say("zoom_all_help"), () => show({ x: 0, y: 0, cell: frame.least })),
    button("PNG", say("save_png"), save));
  element.append(legend.element, differenceLegend.element);
  const image = el("canvas"), isNew = createChangeDetector(); // the image has one pixel per cell
  // room: width and, in a presentation, height in px; stored, because measuring makes the browser lay out the page.
  let derived = null, room = {}, frame = null, viewport = null, left = 0, top = 0, dragging = "select", painted = [];

  function setMode(value) {
    dragging = value;
    mode.show(value);
    // Touch scrolls the page if the whole map is visible, and pans the map if it is enlarged.
    stage.style.touchAction = value === "move" || (frame && viewport.cell > frame.least) ? "none" : "pan-y";
  }

  /** Shows another part of the map. */
  function show(next) {
    viewport = next;
    setMode(dragging);
    store.touch("viewport");
  }

  /**
   * Makes room for names and sizes the cells so that everything fits; an enlarged map stays enlarged while its tokens
   * are there. before: what was drawn last, or null.
   */
  function arrange(before) {
    const { queries, keys } = derived.axes, pen = canvas.getContext("2d");
    pen.font = `600 ${theme.small}px ${theme.font}`; // marked names are bold, and wider
    left = roomForRows(pen, namesOf(queries, "query"), theme.small) + stripeOf(pair);
    const cellsIn = (height) => fit(Math.max(room.width - left - 2, NARROWEST), Math.max(height, NARROWEST), keys.length,
      queries.length, theme.small * LARGEST);
    const above = ({ viewport: { cell } }) => roomForColumns(pen, namesOf(keys, "key"), theme.small, cell) + stripeOf(pair);
    let fitting = cellsIn(theme.side);
    // The room for names depends on the size of the cells: in smaller ones, which are fitted again, names are rotated.
    if (room.height) for (let again = 0; again < 2; again++) fitting = cellsIn(room.height - above(fitting) - theme.small);
    top = above(fitting);
    const enlarged = before && viewport.cell > frame.least && follow(before);
    frame = fitting.frame;
    viewport = enlarged ? clamp(enlarged, frame) : fitting.viewport;
  }

  /** The viewport of the same tokens in what is shown now; null if they are gone. */
  function follow(before) {
    if (before.unit !== derived.unit) return null; // words in place of tokens
    const { x, y, cell } = viewport, { queries, keys } = before.axes;
    const down = shiftOf(queries, Math.round(y), Math.floor(y + frame.height / cell), derived.axes.rowOf,
      before.sides.query, derived.sides.query);
    const right = shiftOf(keys, Math.round(x), Math.floor(x + frame.width / cell), derived.axes.columnOf,
      before.sides.key, derived.sides.key);
    return down === null || right === null ? null : { x: x + right, y: y + down, cell };
  }

  const shownMap = () => derived.difference?.map ?? derived.map;

  const namesOf = (list, side) => list.map((unit) => derived.sides[side].labels[unit]);

  /** What is drawn on the canvas `target`, which gets its size; ratio: as of prepareCanvas. */
  function plotOn(target, ratio) {
    const pen = prepareCanvas(target, ...sizes(), ratio);
    const { sides, axes, difference } = derived;
    pen.font = `600 ${theme.small}px ${theme.font}`; // as in arrange
    const turned = areTurned(pen, namesOf(axes.keys, "key"), viewport.cell);
    return { pen, theme, left, top, frame, viewport, sides, map: shownMap(), isSigned: Boolean(difference),
      pair, turned, ...axes };
  }

  const sizes = () => [left + frame.width + 2, top + frame.height + theme.small];

  function paint(state) {
    const { input } = context, map = shownMap(), content = [map ?? input, map ? state.scale : state.heads];
    if (content.every((value, index) => value === painted[index])) return;
    painted = content;
    const isSigned = Boolean(derived.difference);
    if (map) note.textContent = isSigned ? say("heatmap_note_difference") : describeRows(map);
    legend.element.hidden = isSigned;
    differenceLegend.element.hidden = !isSigned;
    if (isSigned) {
      paintDifference(image, map, theme, state.scale);
      differenceLegend.show(map.largest, state.scale);
    } else if (derived.map) {
      paintWeights(image, derived.map, theme.sequential, state.scale);
      legend.show(derived.map.largest, state.scale, derived.sides.isCausal);
    } else if (showsAllTokens(derived)) {
      paintThumbnail(image, input.thumbnail(...state.heads[0]), input.grid, theme.sequential);
    } else Object.assign(image, { width: 1, height: 1 }); // a thumbnail shows all tokens
  }

  /** What rows and columns are, and what a row sums to. */
  function describeRows(map) {
    const [least, most] = rangeOfSums(map).map((sum) => sum.toFixed(2));
    const sums = least === most ? least : `${least}–${most}`, isNorms = context.input.measure === "norms";
    const isWhole = !isNorms && (sums === "1.00" || !map.weights.length);
    return say(`heatmap_note${derived.isSquare ? "" : "_cross"}${isWhole ? "" : "_part"}`, { sums });
  }

  function mark(state) {
    const plot = plotOn(over), { map } = derived;
    const cell = map && state.hover && { row: map.rowOf[state.hover.query], column: map.columnOf[state.hover.key] };
    const hovered = cell?.row >= 0 && cell.column >= 0 ? cell : null; // the reference may have it outside its block
    tip.hidden = !hovered;
    if (!map) return;
    drawMarks(plot, selectedCell(), hovered, boxOf(state.range));
    if (hovered) showTip(state.hover, hovered);
  }

  /** Within one sentence the selected token is a key while the views show what attends to it. */
  function selectedCell() {
    const { map, query, key, isSquare, over, token } = derived;
    if (isSquare && over === "query") return { row: -1, column: map.columnOf[token] };
    return { row: query === null ? -1 : map.rowOf[query], column: key === null ? -1 : map.columnOf[key] };
  }

  function boxOf(range) {
    const rows = range && indexRange(range.queries, derived.sides.query, derived.map.rowOf);
    const columns = range && indexRange(range.keys, derived.sides.key, derived.map.columnOf);
    return rows && columns ? { rows, columns } : null;
  }

  /** Shows the exact weight beside the hovered cell, or its change. */
  function showTip({ query, key }, { row, column }) {
    const { sides, map, difference } = derived, { x, y, cell } = viewport, at = row * map.keys.length + column;
    const weight = map.weights[at], change = difference?.map.weights[at];
    const isCompared = difference && !Number.isNaN(change);
    const value = !canAttend(sides, query, key) ? "–" : isCompared ? signed(change) : weight.toFixed(4);
    tip.replaceChildren(el("b", {}, value),
      el("span", {}, `${tokenName(sides.query, query)} → ${tokenName(sides.key, key)}`));
    if (isCompared) tip.append(el("div", {}, `${(weight - change).toFixed(4)} → ${weight.toFixed(4)}`));
    else if (difference) tip.append(el("div", {}, say("not_in_both")));
    if (!canAttend(sides, query, key)) tip.append(el("div", {}, say("unreachable")));
    const right = left + (column + 1 - x) * cell + 10, below = top + (row + 1 - y) * cell + 10;
    const flipped = right > left + frame.width * 0.6, x0 = flipped ? right - 20 - cell : right;
    tip.style.transform = `translate(${x0}px, ${below}px) translateX(${flipped ? -100 : 0}%)`;
  }

  /** Saves what is visible, with what is selected and without what is hovered. */
  function save() {
    const picture = el("canvas"), state = store.get(), { difference } = derived, map = shownMap();
    if (!map) return;
    const plot = plotOn(picture, SHARPNESS), [width, height] = sizes();
    drawCells(plot, image, state.scale);
    drawMarks(plot, selectedCell(), null, boxOf(state.range));
    const [title, stops, labels] = difference ? [say("change"), theme.diverging, changeLabels]
      : [say("weight"), theme.sequential, weightLabels];
    const legend = { title, stops, labels: labels(map.largest, state.scale) };
    savePicture(theme, "attention", { canvas: picture, width, height }, legend,
      captionOf(context, state, { difference, scale: state.scale }));
  }

  listenToHeatmap({ stage, context, show, boxOf, current: () => ({ derived, frame, viewport, left, top }),
    moving: () => dragging === "move" });
  setMode("select");
  return {
    element,
    draw(state, next, changed) {
      const before = derived, resized = changed.has("size") || changed.has("views");
      const needsCells = ![...changed].every((name) => MARKS.includes(name));
      derived = next;
      if (needsCells) paint(state); // first: it decides which legend takes room
      if (resized) room = { width: element.clientWidth, height: isPresented ? stage.clientHeight : null };
      if (isNew("axes", derived.axes) || resized) arrange(before);
      if (needsCells) {
        const plot = plotOn(canvas);
        drawCells(plot, image, state.scale);
        minimap.draw(image, plot);
        const least = plot.map?.largest && formatIn(plot) ? leastWritten(plot.map.largest) : null;
        (plot.isSigned ? differenceLegend : legend).showLeast(least);
        stage.classList.toggle("waiting", !derived.map);
      }
      mark(state);
    },
  };
}

/** Whether each row and column is a token, as in a thumbnail. */
const showsAllTokens = ({ sides: { query, key }, axes: { queries, keys } }) => (
  queries.length === query.of.length && keys.length === key.of.length);
