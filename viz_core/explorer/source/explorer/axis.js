// The names of rows and columns beside a heat map: as many as fit at their size, and always the ones that are marked.

import { fitText } from "./canvas.js";

const WIDE = /^[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]+$/;
const LONGEST = 8; // times the height of the font: a longer name is cut
const STACKED = 4; // up to so many Chinese characters stand one above the other
const PAD = 8; // px between a name and the heat map, both sides together

/** How far the names of rows reach to the left of a heat map, in px. */
export function roomForRows(pen, names, size) {
  return Math.min(Math.max(...names.map((name) => width(pen, name))), size * LONGEST) + PAD;
}

/** How far the names of columns reach above it: less where they need not be turned on their side. */
export function roomForColumns(pen, names, size, cell) {
  const height = (name) => ({ flat: size * 1.3, stacked: [...name].length * size * 1.15,
    turned: Math.min(width(pen, name), size * LONGEST) }[posture(pen, name, size, cell)]);
  return Math.max(...names.map(height)) + PAD;
}

/** Every n-th name is written: the smallest n at which lines of `size` px do not touch. */
export function every(cell, size) {
  return Math.max(1, Math.ceil((size * 1.3) / cell));
}

/**
 * Names to the left of their rows. axis: `{ names, inks, size, cell, start, length, offset, edge, room, background }` — px
 * where the heat map begins and how long it is, the first name seen (a fraction), and the px that names end at (edge) and
 * have (room). marks: `{ at, ink, fill }`, names that are written in any case, on a ground of their own.
 */
export function drawRowNames(pen, axis, marks) {
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  write(axis, marks, (name, along, ink, fill) => {
    const text = fitText(pen, name, axis.room - PAD / 2), wide = width(pen, text);
    if (fill) {
      ground(pen, 0, along - axis.size * 0.7, axis.edge, axis.size * 1.4, axis.background); // over what is half covered
      ground(pen, axis.edge - PAD / 2 - wide - 3, along - axis.size * 0.7, wide + 6, axis.size * 1.4, fill);
    }
    pen.fillStyle = ink;
    pen.fillText(text, axis.edge - PAD / 2, along);
  });
}

/** Names above their columns: flat where they fit, Chinese from top to bottom, anything else turned on its side. */
export function drawColumnNames(pen, axis, marks) {
  const { size, cell, edge, room } = axis;
  write(axis, marks, (name, along, ink, fill) => {
    const how = posture(pen, name, size, cell);
    pen.save();
    pen.translate(along, edge - PAD / 2);
    if (how === "turned") pen.rotate(-Math.PI / 2);
    const lines = how === "stacked" ? [...name] : [how === "turned" ? fitText(pen, name, room - PAD / 2) : name];
    const wide = Math.max(...lines.map((line) => width(pen, line)));
    if (fill && how === "turned") {
      ground(pen, -PAD / 2, -size * 0.7, edge, size * 1.4, axis.background);
      ground(pen, -3, -size * 0.7, wide + 6, size * 1.4, fill);
    }
    else if (fill) ground(pen, -wide / 2 - 3, -size * 1.15 * lines.length - 1, wide + 6, size * 1.15 * lines.length + 4, fill);
    pen.textAlign = how === "turned" ? "left" : "center";
    pen.textBaseline = how === "turned" ? "middle" : "bottom";
    pen.fillStyle = ink;
    lines.forEach((line, index) => pen.fillText(line, 0, (index + 1 - lines.length) * size * 1.15 + (how === "turned" ? 0 : 2)));
    pen.restore();
  });
}

function write({ names, inks, size, cell, start, length, offset }, marks, one) {
  const step = every(cell, size), marked = new Map(marks.filter(({ at }) => at >= 0).map((mark) => [mark.at, mark]));
  const along = (at) => start + (at + 0.5 - offset) * cell;
  const seen = (at) => along(at) >= start - 1 && along(at) <= start + length + 1;
  const last = Math.min(names.length - 1, Math.ceil(offset + length / cell));
  if (inks) {
    for (let at = Math.ceil(Math.max(0, offset - 0.5) / step) * step; at <= last; at += step) {
      if (seen(at)) one(names[at], along(at), inks[at], null);
    }
  }
  for (const [at, { ink, fill }] of marked) if (seen(at)) one(names[at], along(at), ink, fill);
}

function posture(pen, name, size, cell) {
  if (width(pen, name) <= cell - 4) return "flat";
  return WIDE.test(name) && [...name].length <= STACKED && cell >= size * 1.15 ? "stacked" : "turned";
}

function width(pen, text) {
  return pen.measureText(text.slice(0, 60)).width;
}

function ground(pen, left, top, wide, high, fill) {
  pen.fillStyle = fill;
  pen.beginPath();
  pen.roundRect(left, top, wide, high, 3);
  pen.fill();
}
