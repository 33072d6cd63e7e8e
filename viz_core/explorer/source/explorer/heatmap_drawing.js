// Draws a heat map. A `plot` says where and what: `{ pen, theme, left, top, frame, viewport, sides, queries, keys,
// reach, pair, turned, darkest }`, and `map` once the weights have arrived, `isSigned` if it is a difference. `left` and
// `top`: px taken by names; `frame` and `viewport`: as in viewport.js; `darkest`: the weight of the darkest colour.

import { inkAt } from "../shared/colours.js";
import { drawColumnNames, drawRowNames } from "./axis.js";
import { leastWritten, numberFormat } from "./cell_numbers.js";
import { share, signedShare } from "./scales.js";

const RULED = 10; // px: cells from this size on are separated by thin lines
const NARROW = 6; // px: smaller cells would be covered by the lines around them
const HATCH = 9; // px between the lines over keys that cannot be attended to
const STRIPE = 6; // px between names and cells, coloured by text

/** Width of the stripes beside the cells of a pair, in px. */
export const stripeOf = (pair) => (pair ? STRIPE : 0);

/** Draws cells, their weights if there is space, the borders of texts, and the names. */
export function drawCells(plot, image, scale) {
  const { pen, theme, left, top, frame, viewport } = plot, { x, y, cell } = viewport;
  const across = image.width / frame.columns, down = image.height / frame.rows; // 1 unless the image is a thumbnail
  drawInside(plot, () => {
    pen.imageSmoothingEnabled = cell * devicePixelRatio < 1;
    pen.drawImage(image, x * across, y * down, (frame.width / cell) * across, (frame.height / cell) * down,
      left, top, frame.width, frame.height);
    if (cell >= RULED) {
      drawLines(plot, theme.background, indices(x, frame.width / cell), indices(y, frame.height / cell));
    }
    drawUnreachable(plot);
    if (plot.map) drawNumbers(plot, scale);
    drawBorders(plot);
  });
  if (plot.pair) drawStripes(plot);
  pen.strokeStyle = theme.line;
  pen.strokeRect(left + 0.5, top + 0.5, frame.width - 1, frame.height - 1);
  pen.font = `${theme.small}px ${theme.font}`;
  drawNames(plot, true, [], []);
}

/** Draws selected and hovered rows and columns on top of the cells, -1 for none; box: the selected range or null. */
export function drawMarks(plot, selected, hovered, box) {
  const { pen, theme } = plot;
  drawInside(plot, () => {
    if (box) drawBox(plot, box);
    if (hovered) {
      drawBand(plot, { row: hovered.row, column: -1 }, theme.ink, 0.5, 1);
      drawBand(plot, { row: -1, column: hovered.column }, theme.ink, 0.5, 1);
    }
    drawBand(plot, { row: selected.row, column: -1 }, theme.query, 1, 2);
    drawBand(plot, { row: -1, column: selected.column }, theme.key, 1, 2);
  });
  pen.font = `600 ${theme.small}px ${theme.font}`;
  const subtle = (index) => ({ index, ink: theme.ink, fill: theme.surface });
  drawNames(plot, false,
    [...(hovered ? [subtle(hovered.row)] : []), { index: selected.row, ink: theme.background, fill: theme.query }],
    [...(hovered ? [subtle(hovered.column)] : []), { index: selected.column, ink: theme.background, fill: theme.key }]);
}

/** Draws lines around a row or a column; outside it if it is too narrow. */
function drawBand({ pen, left, top, frame, viewport }, { row, column }, colour, opacity, width) {
  const { x, y, cell } = viewport, margin = cell < NARROW ? 2 : 0;
  pen.globalAlpha = opacity;
  pen.strokeStyle = colour;
  pen.lineWidth = cell < NARROW ? 1 : width;
  if (row >= 0) pen.strokeRect(left - 4, top + (row - y) * cell - margin, frame.width + 8, cell + 2 * margin);
  if (column >= 0) pen.strokeRect(left + (column - x) * cell - margin, top - 4, cell + 2 * margin, frame.height + 8);
  pen.globalAlpha = 1;
}

function drawBox({ pen, theme, left, top, viewport }, { rows, columns }) {
  const { x, y, cell } = viewport;
  const box = [left + (columns[0] - x) * cell, top + (rows[0] - y) * cell, (columns[1] - columns[0] + 1) * cell,
    (rows[1] - rows[0] + 1) * cell];
  pen.fillStyle = pen.strokeStyle = theme.accent;
  pen.globalAlpha = 0.15;
  pen.fillRect(...box);
  pen.globalAlpha = 1;
  pen.lineWidth = 2;
  pen.strokeRect(...box);
}

function drawInside({ pen, left, top, frame }, draw) {
  pen.save();
  pen.beginPath();
  pen.rect(left, top, frame.width, frame.height);
  pen.clip();
  draw();
  pen.restore();
}

function drawLines({ pen, left, top, frame, viewport }, colour, columns, rows) {
  pen.strokeStyle = colour;
  pen.lineWidth = 1;
  pen.beginPath();
  for (const column of columns) {
    const at = left + (column - viewport.x) * viewport.cell;
    pen.moveTo(at, top);
    pen.lineTo(at, top + frame.height);
  }
  for (const row of rows) {
    const at = top + (row - viewport.y) * viewport.cell;
    pen.moveTo(left, at);
    pen.lineTo(left + frame.width, at);
  }
  pen.stroke();
}

/** How weights are written in the cells, as numberFormat. */
export function formatIn({ pen, theme, viewport, map, isSigned }) {
  pen.font = `${theme.small}px ${theme.font}`;
  return numberFormat((text) => pen.measureText(text).width, viewport.cell, theme.small, map.largest, isSigned);
}

function drawNumbers(plot, scale) {
  const { pen, theme, left, top, frame, viewport, map, isSigned } = plot;
  const { weights, keys, queries, largest } = map, { darkest } = plot, { x, y, cell } = viewport, write = formatIn(plot);
  if (!write) return;
  const measure = (text) => pen.measureText(text).width;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (const row of indices(y, frame.height / cell)) {
    for (const column of indices(x, frame.width / cell)) {
      if (row >= queries.length || column >= keys.length) continue;
      const weight = weights[row * keys.length + column];
      const [right, down] = [(column + 0.5 - x) * cell, (row + 0.5 - y) * cell];
      if (!(Math.abs(weight) >= leastWritten(largest)) || !weight) continue;
      const text = write(weight), isWhole = Math.min(right, frame.width - right) > measure(text) / 2
        && Math.min(down, frame.height - down) > theme.small / 2;
      if (!isWhole) continue; // a number cut in half would be misread
      pen.fillStyle = isSigned ? inkAt(theme.diverging, signedShare(weight, darkest, scale))
        : inkAt(theme.sequential, share(weight, darkest, scale));
      pen.fillText(text, left + right, top + down);
    }
  }
}

/** Hatches the keys that queries cannot attend to. */
function drawUnreachable({ pen, theme, left, top, frame, viewport, queries, keys, reach }) {
  const { x, y, cell } = viewport;
  if (reach.every((count) => count === keys.length)) return;
  pen.save();
  pen.beginPath();
  queries.forEach((_, row) => {
    pen.rect(left + (reach[row] - x) * cell, top + (row - y) * cell, (keys.length - reach[row]) * cell, cell);
  });
  pen.clip();
  pen.fillStyle = theme.background;
  pen.fillRect(left, top, frame.width, frame.height);
  pen.strokeStyle = theme.muted;
  pen.globalAlpha = 0.45;
  pen.lineWidth = 1;
  pen.beginPath();
  for (let along = HATCH; along < frame.width + frame.height; along += HATCH) {
    pen.moveTo(left + along, top);
    pen.lineTo(left + along - frame.height, top + frame.height);
  }
  pen.stroke();
  pen.restore();
}

/** Draws thin lines between segments. */
function drawBorders(plot) {
  const { pen, theme, sides, queries, keys, frame, viewport } = plot;
  const edges = (list, { groups }, offset, length) => list.flatMap((unit, index) => (
    index && groups[unit] !== groups[list[index - 1]] && index > offset
      && index < offset + length / viewport.cell - 0.5 ? [index] : []));
  pen.globalAlpha = 0.7;
  drawLines(plot, theme.muted, edges(keys, sides.key, viewport.x, frame.width),
    edges(queries, sides.query, viewport.y, frame.height));
  pen.globalAlpha = 1;
}

/** Draws the colour of each row's and column's text beside the cells. */
function drawStripes({ pen, theme, left, top, frame, viewport, sides, queries, keys }) {
  const draw = (list, { groups }, offset, length, fill) => indices(offset, length / viewport.cell).forEach((index) => {
    if (index >= list.length || groups[list[index]] < 0) return;
    const from = Math.max((index - offset) * viewport.cell, 0);
    const to = Math.min((index + 1 - offset) * viewport.cell, length);
    pen.fillStyle = theme.groups[groups[list[index]] + 1];
    fill(from, to - from);
  });
  draw(queries, sides.query, viewport.y, frame.height, (from, long) => (
    pen.fillRect(left - STRIPE + 1, top + from, 3, long)));
  draw(keys, sides.key, viewport.x, frame.width, (from, long) => pen.fillRect(left + from, top - STRIPE + 1, long, 3));
}

/** Draws the names of both axes; all of them, or only the marked ones. */
function drawNames(plot, all, markedQueries, markedKeys) {
  const { pen, theme, left, top, frame, viewport, sides, queries, keys, pair, turned } = plot;
  const gap = stripeOf(pair);
  const axis = (list, { labels, groups }) => ({ names: list.map((unit) => labels[unit]), size: theme.small, cell: viewport.cell,
    background: theme.background,
    inks: all && list.map((unit) => (groups[unit] < 0 ? theme.muted : theme.ink)) });
  drawRowNames(pen, { ...axis(queries, sides.query), start: top, length: frame.height, offset: viewport.y, edge: left - gap,
    room: left - gap }, markedQueries);
  drawColumnNames(pen, { ...axis(keys, sides.key), start: left, length: frame.width, offset: viewport.x, edge: top - gap,
    room: top - gap, turned }, markedKeys);
}

/** Indices of the cells from `start` to `start + length`, which may be fractional. */
function indices(start, length) {
  const first = Math.floor(start);
  return Array.from({ length: Math.ceil(start + length - 1e-9) - first }, (_, index) => first + index);
}
