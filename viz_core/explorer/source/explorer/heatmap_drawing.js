// How a heat map is drawn. A `plot` says where and of what: `{ pen, theme, left, top, frame, viewport, units, queries, keys,
// pair }`, with `map` where there are weights; `left` and `top` are the px that names take, `frame` and `viewport` as in
// viewport.js.

import { inkAt } from "../shared/colours.js";
import { drawColumnNames, drawRowNames } from "./axis.js";
import { share } from "./scales.js";

const NUMBERED = 3.2; // cells so many times as wide as the type is high carry their numbers
const RULED = 10; // px: cells from this size on are told apart by thin lines
const NARROW = 6; // px: a smaller cell would be covered by the lines around it
const STRIPE = 6; // px between names and cells, for the colours of the two sentences

/** Room that a pair's stripes take beside the cells. */
export const stripeOf = (pair) => (pair ? STRIPE : 0);

/** Cells, their numbers where they are large, the outlines of sentences, and the names. */
export function drawCells(plot, image, scale) {
  const { pen, theme, left, top, frame, viewport } = plot, { x, y, cell } = viewport;
  const across = image.width / frame.columns, down = image.height / frame.rows; // 1 unless it is the thumbnail
  inside(plot, () => {
    pen.imageSmoothingEnabled = cell * devicePixelRatio < 1;
    pen.drawImage(image, x * across, y * down, (frame.width / cell) * across, (frame.height / cell) * down,
      left, top, frame.width, frame.height);
    if (cell >= RULED) rule(plot, theme.background, whole(x, frame.width / cell), whole(y, frame.height / cell));
    if (plot.map && cell >= theme.small * NUMBERED) numbers(plot, scale);
    segments(plot);
  });
  if (plot.pair) stripes(plot);
  pen.strokeStyle = theme.line;
  pen.strokeRect(left + 0.5, top + 0.5, frame.width - 1, frame.height - 1);
  pen.font = `${theme.small}px ${theme.font}`;
  names(plot, true, [], []);
}

/** What is selected and pointed at, on top of the cells: rows and columns, -1 for none; box: a brushed range or null. */
export function drawMarks(plot, selected, pointed, box) {
  const { pen, theme } = plot;
  inside(plot, () => {
    if (box) brushed(plot, box);
    if (pointed) {
      band(plot, { row: pointed.row, column: -1 }, theme.ink, 0.5, 1);
      band(plot, { row: -1, column: pointed.column }, theme.ink, 0.5, 1);
    }
    band(plot, { row: selected.row, column: -1 }, theme.query, 1, 2);
    band(plot, { row: -1, column: selected.column }, theme.key, 1, 2);
  });
  pen.font = `600 ${theme.small}px ${theme.font}`;
  const quiet = (at) => ({ at, ink: theme.ink, fill: theme.surface });
  names(plot, false,
    [...(pointed ? [quiet(pointed.row)] : []), { at: selected.row, ink: theme.background, fill: theme.query }],
    [...(pointed ? [quiet(pointed.column)] : []), { at: selected.column, ink: theme.background, fill: theme.key }]);
}

/** Lines around a row or a column; beside it where it is too narrow to be seen between them. */
function band({ pen, left, top, frame, viewport }, { row, column }, colour, opacity, width) {
  const { x, y, cell } = viewport, away = cell < NARROW ? 2 : 0;
  pen.globalAlpha = opacity;
  pen.strokeStyle = colour;
  pen.lineWidth = cell < NARROW ? 1 : width;
  if (row >= 0) pen.strokeRect(left - 4, top + (row - y) * cell - away, frame.width + 8, cell + 2 * away);
  if (column >= 0) pen.strokeRect(left + (column - x) * cell - away, top - 4, cell + 2 * away, frame.height + 8);
  pen.globalAlpha = 1;
}

function brushed({ pen, theme, left, top, viewport }, { rows, columns }) {
  const { x, y, cell } = viewport;
  const place = [left + (columns[0] - x) * cell, top + (rows[0] - y) * cell, (columns[1] - columns[0] + 1) * cell,
    (rows[1] - rows[0] + 1) * cell];
  pen.fillStyle = pen.strokeStyle = theme.accent;
  pen.globalAlpha = 0.15;
  pen.fillRect(...place);
  pen.globalAlpha = 1;
  pen.lineWidth = 2;
  pen.strokeRect(...place);
}

function inside({ pen, left, top, frame }, draw) {
  pen.save();
  pen.beginPath();
  pen.rect(left, top, frame.width, frame.height);
  pen.clip();
  draw();
  pen.restore();
}

function rule({ pen, left, top, frame, viewport }, colour, columns, rows) {
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

function numbers({ pen, theme, left, top, frame, viewport, map }, scale) {
  const { weights, keys, queries, largest } = map, { x, y, cell } = viewport;
  const digits = largest >= 0.5 ? 2 : largest >= 0.02 ? 3 : 4;
  pen.font = `${theme.small}px ${theme.font}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (const row of whole(y, frame.height / cell)) {
    for (const column of whole(x, frame.width / cell)) {
      if (row >= queries.length || column >= keys.length) continue;
      const weight = weights[row * keys.length + column];
      const [right, down] = [(column + 0.5 - x) * cell, (row + 0.5 - y) * cell];
      const seen = Math.min(right, frame.width - right) > 1.5 * theme.small && Math.min(down, frame.height - down) > theme.small;
      if (weight < largest / 20 || !seen) continue; // half a number reads as another one
      pen.fillStyle = inkAt(theme.sequential, share(weight, largest, scale));
      pen.fillText(weight.toFixed(digits), left + right, top + down);
    }
  }
}

/** Thin lines where one segment ends and the next begins. */
function segments(plot) {
  const { pen, theme, units, queries, keys, frame, viewport } = plot;
  const edges = (list, offset, length) => list.flatMap((unit, at) => (
    at && units.groups[unit] !== units.groups[list[at - 1]] && at > offset && at < offset + length / viewport.cell - 0.5 ? [at] : []));
  pen.globalAlpha = 0.7;
  rule(plot, theme.muted, edges(keys, viewport.x, frame.width), edges(queries, viewport.y, frame.height));
  pen.globalAlpha = 1;
}

/** Beside the cells, the colour of the sentence that each row and column is of. */
function stripes({ pen, theme, left, top, frame, viewport, units, queries, keys }) {
  const draw = (list, offset, length, fill) => whole(offset, length / viewport.cell).forEach((at) => {
    if (at >= list.length || units.groups[list[at]] < 0) return;
    const from = Math.max((at - offset) * viewport.cell, 0), to = Math.min((at + 1 - offset) * viewport.cell, length);
    pen.fillStyle = theme.groups[units.groups[list[at]] + 1];
    fill(from, to - from);
  });
  draw(queries, viewport.y, frame.height, (from, long) => pen.fillRect(left - STRIPE + 1, top + from, 3, long));
  draw(keys, viewport.x, frame.width, (from, long) => pen.fillRect(left + from, top - STRIPE + 1, long, 3));
}

/** The names of both axes; `all`, or only the marked ones. */
function names({ pen, theme, left, top, frame, viewport, units, queries, keys, pair }, all, marked, markedKeys) {
  const gap = stripeOf(pair);
  const axis = (list) => ({ names: list.map((unit) => units.labels[unit]), size: theme.small, cell: viewport.cell,
    background: theme.background,
    inks: all && list.map((unit) => (units.groups[unit] < 0 ? theme.muted : theme.ink)) });
  drawRowNames(pen, { ...axis(queries), start: top, length: frame.height, offset: viewport.y, edge: left - gap,
    room: left - gap }, marked);
  drawColumnNames(pen, { ...axis(keys), start: left, length: frame.width, offset: viewport.x, edge: top - gap,
    room: top - gap }, markedKeys);
}

/** Whole numbers from the cell at `start` to the one at `start + length`. */
function whole(start, length) {
  const first = Math.floor(start);
  return Array.from({ length: Math.ceil(start + length - 1e-9) - first }, (_, index) => first + index);
}
