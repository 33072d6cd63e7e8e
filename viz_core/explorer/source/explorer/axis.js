// The labels of rows and columns beside a heat map: as many as fit, and always the highlighted ones.

import { fitText } from "./canvas.js";

const WIDE = /^[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]+$/;
const LONGEST = 8; // em: longer names are cut
const STACKED = 4; // up to this many Chinese characters are written from top to bottom
const PAD = 8; // px between a name and the heat map, both sides together

/** Width of the row names, in px. */
export function roomForRows(pen, names, size) {
  return Math.min(Math.max(...names.map((name) => width(pen, name))), size * LONGEST) + PAD;
}

/** Height of the column names, in px: less if they need not be rotated. */
export function roomForColumns(pen, names, size, cell) {
  const turned = areTurned(pen, names, cell);
  const height = (name) => ({ flat: size * 1.3, stacked: [...name].length * size * 1.15,
    rotated: Math.min(width(pen, name), size * LONGEST) }[orientation(pen, name, { size, cell, turned })]);
  return Math.max(...names.map(height)) + PAD;
}

/** Whether the names of columns are turned: all of them, except Chinese ones, as soon as one does not fit. */
export const areTurned = (pen, names, cell) => names.some((name) => !WIDE.test(name) && !isWithin(pen, name, cell));

/** Every n-th name is written: the smallest n at which lines of `size` px do not touch. */
export function labelStep(cell, size) {
  return Math.max(1, Math.ceil((size * 1.3) / cell));
}

/**
 * Draws names to the left of their rows. axis: `{ names, inks, size, cell, start, length, offset, edge, room,
 * background }`, where start and length are the heat map's extent in px, offset the first visible index (may be
 * fractional), edge where names end and room their width in px. marks: `{ index, ink, fill }`, names that are always
 * written, with a background.
 */
export function drawRowNames(pen, axis, marks) {
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  write(axis, marks, (name, along, ink, fill) => {
    const text = fitText(pen, name, axis.room - PAD / 2), wide = width(pen, text);
    if (fill) {
      // Hides partly covered names.
      drawBackground(pen, 0, along - axis.size * 0.7, axis.edge, axis.size * 1.4, axis.background);
      drawBackground(pen, axis.edge - PAD / 2 - wide - 3, along - axis.size * 0.7, wide + 6, axis.size * 1.4, fill);
    }
    pen.fillStyle = ink;
    pen.fillText(text, axis.edge - PAD / 2, along);
  });
}

/**
 * Draws names above their columns: rotated if `axis.turned`; Chinese ones horizontal if they fit, short ones otherwise from
 * top to bottom.
 */
export function drawColumnNames(pen, axis, marks) {
  const { size, edge, room } = axis;
  write(axis, marks, (name, along, ink, fill) => {
    const direction = orientation(pen, name, axis), rotated = direction === "rotated", line = size * 1.15;
    pen.save();
    pen.translate(along, edge - PAD / 2);
    if (rotated) pen.rotate(-Math.PI / 2);
    const lines = direction === "stacked" ? [...name] : [rotated ? fitText(pen, name, room - PAD / 2) : name];
    const wide = Math.max(...lines.map((text) => width(pen, text)));
    if (fill && rotated) {
      drawBackground(pen, -PAD / 2, -size * 0.7, edge, size * 1.4, axis.background);
      drawBackground(pen, -3, -size * 0.7, wide + 6, size * 1.4, fill);
    }
    else if (fill) drawBackground(pen, -wide / 2 - 3, -line * lines.length - 1, wide + 6, line * lines.length + 4, fill);
    pen.textAlign = rotated ? "left" : "center";
    pen.textBaseline = rotated ? "middle" : "bottom";
    pen.fillStyle = ink;
    lines.forEach((text, index) => pen.fillText(text, 0, (index + 1 - lines.length) * line + (rotated ? 0 : 2)));
    pen.restore();
  });
}

function write({ names, inks, size, cell, start, length, offset }, marks, draw) {
  const step = labelStep(cell, size);
  const marked = new Map(marks.filter(({ index }) => index >= 0).map((mark) => [mark.index, mark]));
  const along = (index) => start + (index + 0.5 - offset) * cell;
  const isVisible = (index) => along(index) >= start - 1 && along(index) <= start + length + 1;
  const last = Math.min(names.length - 1, Math.ceil(offset + length / cell));
  if (inks) {
    for (let index = Math.ceil(Math.max(0, offset - 0.5) / step) * step; index <= last; index += step) {
      if (isVisible(index)) draw(names[index], along(index), inks[index], null);
    }
  }
  for (const [index, { ink, fill }] of marked) if (isVisible(index)) draw(names[index], along(index), ink, fill);
}

const isWithin = (pen, name, cell) => width(pen, name) <= cell - 4;

function orientation(pen, name, { size, cell, turned }) {
  const isWide = WIDE.test(name);
  if ((isWide || !turned) && isWithin(pen, name, cell)) return "flat";
  return isWide && [...name].length <= STACKED && cell >= size * 1.15 ? "stacked" : "rotated";
}

function width(pen, text) {
  return pen.measureText(text.slice(0, 60)).width;
}

function drawBackground(pen, left, top, wide, high, fill) {
  pen.fillStyle = fill;
  pen.beginPath();
  pen.roundRect(left, top, wide, high, 3);
  pen.fill();
}
