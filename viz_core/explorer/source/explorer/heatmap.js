// The selected head as a heat map: queries from top to bottom, keys from left to right; labels stay visible.

/** @import { Axes, Derived, Frame, UnitsOfSides, Viewport } from "../shared/records.js" */

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { tokenName } from "../shared/names.js";
import { percent } from "../shared/numbers.js";
import { remember } from "../shared/remember.js";
import { joinTexts } from "../shared/translator.js";
import { canAttend, rangeOfSums, weightOfFirst } from "./attention.js";
import { areTurned, roomForColumns, roomForRows } from "./axis.js";
import { prepareCanvas } from "./canvas.js";
import { leastWritten } from "./cell_numbers.js";
import { indexRange } from "./cells.js";
import { changeLabels, createDifferenceLegend, signed } from "./comparison/legend.js";
import { shiftOf } from "./follow.js";
import { drawCells, drawMarks, formatIn, stripeOf } from "./heatmap_drawing.js";
import { paintDifference, paintThumbnail, paintWeights } from "./heatmap_image.js";
import { listenToHeatmap, ZOOM, zoomAtCentre } from "./heatmap_input.js";
import { BESIDE } from "./layout.js";
import { createLegend, weightLabels } from "./legend.js";
import { createMinimap } from "./minimap.js";
import { chooser, panel } from "./panel.js";
import { captionOf, savePicture, SHARPNESS } from "./picture.js";
import { darkestOf } from "./scales.js";
import { clamp, fit } from "./viewport.js";

const NARROWEST = 120; // px
const LARGEST = 6; // em: a cell
const SINK = 0.5; // mean weight on the first token of a causal text from which on it is called a sink
const SMALLEST = 17; // em: its least height

export function createHeatmap(context) {
  const { say, store, theme, isPresented } = context, { pair } = context.input;
  const around = context.input.kinds ? 42 : 39; // em: what stands around it on a page, so that all of it is on the first screen
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
  const image = el("canvas"); // of one pixel per cell
  // fitted: the units and axes that the cells have their sizes for.
  /** @type {{ unit: string, sides: UnitsOfSides, axes: Axes } | null} */
  let fitted = null;
  /** @type {Derived} */
  let derived;
  /** @type {Frame} */
  let frame;
  /** @type {Viewport} */
  let viewport;
  let left = 0, top = 0, dragging = "select";

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
    store.touch();
  }

  /** Width and, in a presentation, height in px; stored, because measuring makes the browser lay out the page. */
  const roomIn = remember(([across, down]) => ({ width: element.clientWidth, height: isPresented ? stage.clientHeight : null,
    side: isOnPage(element) && across / theme.text >= BESIDE
      ? Math.min(theme.side, Math.max(down - around * theme.text, SMALLEST * theme.text)) : theme.side }));

  /**
   * Makes room for names and sizes the cells so that everything fits; an enlarged map stays enlarged while its tokens
   * are there.
   */
  const arrange = remember((unit, sides, axes, room) => {
    const { queries, keys } = axes, pen = canvas.getContext("2d"), before = fitted;
    const namesOf = (list, side) => list.map((unit) => sides[side].labels[unit]);
    fitted = { unit, sides, axes };
    pen.font = `600 ${theme.small}px ${theme.font}`; // marked names are bold, and wider
    left = roomForRows(pen, namesOf(queries, "query"), theme.small) + stripeOf(pair);
    const cellsIn = (height) => fit(Math.max(room.width - left - 2, NARROWEST), Math.max(height, NARROWEST), keys.length,
      queries.length, theme.small * LARGEST);
    const above = ({ viewport: { cell } }) => roomForColumns(pen, namesOf(keys, "key"), theme.small, cell) + stripeOf(pair);
    let fitting = cellsIn(room.side);
    // The room for names depends on the size of the cells: in smaller ones, which are fitted again, names are rotated.
    if (room.height) for (let again = 0; again < 2; again++) fitting = cellsIn(room.height - above(fitting) - theme.small);
    top = above(fitting);
    const enlarged = before && viewport.cell > frame.least && follow(before, fitted);
    frame = fitting.frame;
    viewport = enlarged ? clamp(enlarged, frame) : fitting.viewport;
  });

  /** The viewport of the same tokens in what is shown now; null if they are gone. */
  function follow(before, now) {
    if (before.unit !== now.unit) return null; // words in place of tokens
    const { x, y, cell } = viewport, { queries, keys } = before.axes;
    const down = shiftOf(queries, Math.round(y), Math.floor(y + frame.height / cell), now.axes.rowOf,
      before.sides.query, now.sides.query);
    const right = shiftOf(keys, Math.round(x), Math.floor(x + frame.width / cell), now.axes.columnOf,
      before.sides.key, now.sides.key);
    return down === null || right === null ? null : { x: x + right, y: y + down, cell };
  }

  const shownMap = () => derived.difference?.map ?? derived.map;

  const isTurned = remember(({ labels }, keys, cell) => {
    const pen = canvas.getContext("2d");
    pen.font = `600 ${theme.small}px ${theme.font}`; // as in arrange
    return areTurned(pen, keys.map((unit) => labels[unit]), cell);
  });

  /** What is drawn: the plot of heatmap_drawing.js, without a pen. */
  const plotOf = (/** @type {Derived} */ { sides, axes, difference }) => ({ theme, left, top, frame, viewport, sides, map: shownMap(),
    darkest: darkest(), isSigned: Boolean(difference), pair, turned: isTurned(sides.key, axes.keys, viewport.cell), ...axes });

  /** The weight of the darkest colour; of a difference, the largest change. */
  function darkest() {
    const map = shownMap();
    if (!map) return darkestOf(store.get(), context.input, derived.tokens, largestPeak(store.get().heads));
    return derived.difference ? map.largest : darkestOf(store.get(), context.input, derived.tokens, map.largest);
  }

  const largestPeak = ([[layer, head]]) => context.input.peaks[layer][head]; // a thumbnail is that of the first head

  /** With a pen for the canvas `target`, which gets its size; ratio: as of prepareCanvas. */
  function plotOn(target, plot, ratio) {
    return { ...plot, pen: prepareCanvas(target, ...sizesOf(plot), ratio) };
  }

  const sizesOf = ({ left, top, frame }) => [left + frame.width + 2, top + frame.height + theme.small];

  /** What the image shows: the weights or their change or, while they are fetched, the thumbnail of the first head. */
  const contentOf = ({ input }, state) => ({ map: derived.map, difference: derived.difference?.map, sides: derived.sides,
    axes: derived.axes, isSquare: derived.isSquare, input, scale: state.scale, darkest: darkest(),
    ...(derived.map ? {} : { heads: state.heads }) });

  const paint = remember(({ map, difference, sides, axes, isSquare, input, scale, darkest, heads }) => {
    if (map) note.textContent = difference ? say("heatmap_note_difference") : describeRows(map, isSquare, input, sides);
    legend.element.hidden = Boolean(difference);
    differenceLegend.element.hidden = !difference;
    if (difference) {
      paintDifference(image, difference, theme, scale);
      differenceLegend.show(difference.largest, scale);
    } else if (map) {
      paintWeights(image, map, theme.sequential, scale, darkest);
      legend.show(darkest, scale, map.largest > darkest, sides.isCausal);
    } else if (showsAllTokens(sides, axes)) {
      paintThumbnail(image, input.thumbnail(...heads[0]), input.grid, theme.sequential, scale, largestPeak(heads), darkest);
    } else Object.assign(image, { width: 1, height: 1 }); // a thumbnail shows all tokens
  });

  /** content: what the image shows. */
  const drawMap = remember((plot, { scale }, ratio) => {
    const drawn = plotOn(canvas, plot, ratio);
    drawCells(drawn, image, scale);
    minimap.draw(image, plot);
    const least = plot.map?.largest && formatIn(drawn) ? leastWritten(plot.map.largest) : null;
    (plot.isSigned ? differenceLegend : legend).showLeast(least);
  });

  /** marks: arguments of drawMarks, or null. */
  const drawSelection = remember((plot, marks, ratio) => {
    const drawn = plotOn(over, plot, ratio);
    if (marks) drawMarks(drawn, ...marks);
  });

  /** What rows and columns are, what a row sums to, and what the columns of long words get for their length alone. */
  function describeRows(map, isSquare, { measure, kinds }, { key: { size }, isCausal }) {
    const [least, most] = rangeOfSums(map).map((sum) => sum.toFixed(2));
    const sums = least === most ? least : `${least}–${most}`;
    const isWhole = measure !== "norms" && (sums === "1.00" || !map.weights.length);
    const rows = say(`heatmap_note${isSquare ? "" : "_cross"}${isWhole ? "" : "_part"}`, { sums }), longest = Math.max(...size);
    const first = isCausal && isWhole && !kinds ? weightOfFirst(map) : 0;
    return joinTexts(rows, ...(longest > 1 ? [say("heatmap_note_words", { tokens: longest })] : []),
      ...(first > SINK ? [say("heatmap_note_sink", { share: percent(first) })] : []));
  }

  function mark(plot, state) {
    const { map } = derived;
    const cell = map && state.hover && { row: map.rowOf[state.hover.query], column: map.columnOf[state.hover.key] };
    const hovered = cell?.row >= 0 && cell.column >= 0 ? cell : null; // the reference may have it outside its block
    tip.hidden = !hovered;
    drawSelection(plot, map && [selectedCell(map), hovered, boxOf(state.range)], devicePixelRatio);
    if (map && hovered) showTip(map, state.hover, hovered);
  }

  /** Within one sentence the selected token is a key while the views show what attends to it. */
  function selectedCell({ rowOf, columnOf }) {
    const { query, key, isSquare, over, token } = derived, at = (indexOf, unit) => (unit === null ? -1 : indexOf[unit]);
    if (isSquare && over === "query") return { row: -1, column: at(columnOf, token) };
    return { row: at(rowOf, query), column: at(columnOf, key) };
  }

  function boxOf(range) {
    const { axes, sides } = derived, rows = range && indexRange(range.queries, sides.query, axes.rowOf);
    const columns = range && indexRange(range.keys, sides.key, axes.columnOf);
    return rows && columns ? { rows, columns } : null;
  }

  /** Shows the exact weight beside the hovered cell, or its change. */
  function showTip(map, { query, key }, { row, column }) {
    const { sides, difference } = derived, { x, y, cell } = viewport, at = row * map.keys.length + column;
    const weight = map.weights[at], change = difference ? difference.map.weights[at] : NaN, isCompared = !Number.isNaN(change);
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
    const plot = plotOf(derived), [width, height] = sizesOf(plot), drawn = plotOn(picture, plot, SHARPNESS);
    drawCells(drawn, image, state.scale);
    drawMarks(drawn, selectedCell(map), null, boxOf(state.range));
    const [title, stops, labels] = difference ? [say("change"), theme.diverging, changeLabels]
      : [say("weight"), theme.sequential, weightLabels];
    const legend = { title, stops, labels: labels(plot.darkest, state.scale, map.largest > plot.darkest) };
    savePicture(theme, "attention", { canvas: picture, width, height }, legend,
      captionOf(context, state, { difference, scale: state.scale }));
  }

  listenToHeatmap({ stage, context, show, boxOf, current: () => ({ derived, frame, viewport, left, top }),
    moving: () => dragging === "move" });
  setMode("select");
  return {
    element,
    draw(state, next, place) {
      derived = next;
      const content = contentOf(context, state);
      paint(content); // first: it decides which legend takes room
      arrange(derived.unit, derived.sides, derived.axes, roomIn(place));
      const plot = plotOf(derived);
      drawMap(plot, content, devicePixelRatio);
      stage.classList.toggle("waiting", !derived.map);
      mark(plot, state);
    },
  };
}

/** Whether the explorer is part of a page, which has text boxes and a title above it. */
const isOnPage = (element) => element.getRootNode() instanceof ShadowRoot;

/** Whether each row and column is a token, as in a thumbnail. */
const showsAllTokens = ({ query, key }, { queries, keys }) => (
  queries.length === query.of.length && keys.length === key.of.length);
