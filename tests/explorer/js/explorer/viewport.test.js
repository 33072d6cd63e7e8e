// The visible part of a heat map: by hand, and what holds for every viewport.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cellAt, centreOn, clamp, fit, panBy, revealCell, zoomAt, zoomToRange,
} from "../../../../viz_core/explorer/source/explorer/viewport.js";
import { near } from "../near.js";

test("ten cells fit; those of a short input stay small", () => {
  assert.deepEqual(fit(500, 400, 10, 10), {
    frame: { width: 400, height: 400, columns: 10, rows: 10, least: 40, largest: 72 }, viewport: { x: 0, y: 0, cell: 40 } });
  assert.deepEqual([fit(500, 400, 3, 2), fit(400, 400, 100, 10)].map(({ viewport }) => viewport.cell), [72, 4]);
});

test("the cell at a point, and the viewport of a range and of a point", () => {
  const { frame } = fit(400, 400, 100, 100);
  assert.deepEqual(cellAt({ x: 10, y: 20.5, cell: 8 }, frame, 16, 4), { row: 21, column: 12 });
  for (const [left, top] of [[-1, 0], [0, -1], [400, 0], [0, 400]]) {
    assert.equal(cellAt({ x: 0, y: 0, cell: 4 }, frame, left, top), null);
  }
  assert.deepEqual(zoomToRange(frame, [40, 47], [60, 67]), { x: 59, y: 39, cell: 40 });
  assert.deepEqual(centreOn({ x: 0, y: 0, cell: 40 }, frame, 50, 60), { x: 45, y: 55, cell: 40 });
});

test("a drag moves the matrix, and a wide range is as wide as the frame", () => {
  const { frame } = fit(400, 400, 100, 100);
  assert.deepEqual(panBy({ x: 20, y: 30, cell: 8 }, frame, 16, -8), { x: 18, y: 31, cell: 8 });
  assert.deepEqual(zoomToRange(frame, [50, 50], [20, 57]), { x: 19, y: 30.5, cell: 10 });
});

test("the whole matrix never moves, not even by a rounding error", () => { // it would take the wheel from the page
  for (let count = 1; count <= 512; count++) {
    const { frame, viewport } = fit(640, 543.7, count, count), { x, y } = panBy(viewport, frame, -100, -100);
    assert.deepEqual([count, x, y], [count, 0, 0]);
  }
});

/** Calls check 400 times, always with the same numbers: a random viewport, and a point (left, top) in it. */
function always(name, check) {
  let seed = 7;
  const random = (from, to) => from + (to - from) * ((seed = (seed * 16807) % 2147483647) / 2147483647);
  test(name, () => {
    for (let round = 0; round < 400; round++) {
      const columns = Math.ceil(random(0, 512)), rows = round % 3 ? columns : Math.ceil(random(0, 90));
      const { frame } = fit(random(120, 900), random(200, 700), columns, rows);
      const cell = random(frame.least, frame.largest);
      const view = clamp({ x: random(-5, columns), y: random(-5, rows), cell }, frame);
      check({ view, frame, left: random(0, frame.width), top: random(0, frame.height), random });
    }
  });
}

function assertInside({ x, y, cell }, { width, height, columns, rows }) {
  assert.ok(x >= 0 && y >= 0 && x * cell + width <= columns * cell + 1e-6 && y * cell + height <= rows * cell + 1e-6);
}

always("nothing outside the matrix is ever visible", ({ view, frame, left, top, random }) => {
  assertInside(view, frame);
  assertInside(panBy(view, frame, random(-999, 999), random(-999, 999)), frame);
  assertInside(zoomAt(view, frame, random(0.1, 9), left, top), frame);
  near(clamp(view, frame).x, view.x);
});

always("zooming in keeps the point under the pointer", ({ view, frame, left, top, random }) => { // edges limit zooming out
  const next = zoomAt(view, frame, random(1, 4), left, top);
  near([next.x + left / next.cell, next.y + top / next.cell], [view.x + left / view.cell, view.y + top / view.cell]);
  assert.ok(next.cell >= view.cell - 1e-9 && next.cell <= frame.largest + 1e-9);
});

always("zooming out ends at the whole matrix", ({ view, frame, left, top }) => {
  const { x, y, cell } = zoomAt(view, frame, 1e-3, left, top);
  near([x, y, cell], [0, 0, frame.least]);
});

always("revealing a cell shows it, and does not move visible cells", ({ view, frame, random }) => {
  const row = Math.floor(random(0, frame.rows)), column = Math.floor(random(0, frame.columns));
  const next = revealCell(view, frame, row, column);
  const isWhole = ({ x, y }) => column - x >= -1e-6 && row - y >= -1e-6
    && (column + 1 - x) * next.cell <= frame.width + 1e-6 && (row + 1 - y) * next.cell <= frame.height + 1e-6;
  assert.ok(isWhole(next) || next.cell > Math.min(frame.width, frame.height));
  assertInside(next, frame);
  if (isWhole(view)) near([next.x, next.y], [view.x, view.y]);
});

always("the cell at the centre of a cell is that cell", ({ view, frame, left, top }) => {
  const cell = cellAt(view, frame, left, top);
  assert.ok(cell.row < frame.rows && cell.column < frame.columns);
  const [across, down] = [cell.column + 0.5 - view.x, cell.row + 0.5 - view.y].map((at) => at * view.cell);
  const again = cellAt(view, frame, across, down);
  if (again) assert.deepEqual(again, cell); // the centre of a cell that is cut off may be outside
});
