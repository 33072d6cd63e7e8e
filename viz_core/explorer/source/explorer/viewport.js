// Which part of a matrix is visible, and at what size: pure geometry. A viewport is `{ x, y, cell }`: the column and
// row at the upper left corner (may be fractional), and the size of a cell in px. `frame` is `{ width, height, columns,
// rows, least, largest }`, where `least` and `largest` bound the size of a cell in px.

const LARGEST = 72; // px of a cell: a short input does not fill the page

/** The frame that shows all cells, each up to `largest` px, in at most `width` x `height` px; and its viewport. */
export function fit(width, height, columns, rows, largest = LARGEST) {
  const least = Math.min(largest, width / columns, height / rows);
  const frame = { width: least * columns, height: least * rows, columns, rows, least, largest };
  return { frame, viewport: { x: 0, y: 0, cell: least } };
}

/** The viewport, moved so that nothing outside the matrix is visible. */
export function clamp({ x, y, cell }, { width, height, columns, rows, least, largest }) {
  const size = Math.min(Math.max(cell, least), largest);
  const hidden = (count, length) => (size > least ? Math.max(count - length / size, 0) : 0); // exactly 0 of the whole matrix
  const within = (start, count, length) => Math.min(Math.max(start, 0), hidden(count, length));
  return { x: within(x, columns, width), y: within(y, rows, height), cell: size };
}

/** Enlarged (`factor` > 1) or shrunk with the point at (left, top) px fixed. */
export function zoomAt({ x, y, cell }, frame, factor, left, top) {
  const size = clamp({ x, y, cell: cell * factor }, frame).cell;
  return clamp({ x: x + left / cell - left / size, y: y + top / cell - top / size, cell: size }, frame);
}

/** Moved so that a point, given as a column and a row that may be fractional, is in the middle. */
export function centreOn({ cell }, frame, column, row) {
  return clamp({ x: column - frame.width / cell / 2, y: row - frame.height / cell / 2, cell }, frame);
}

/** Moved by px, in the direction of a drag. */
export function panBy({ x, y, cell }, frame, right, down) {
  return clamp({ x: x - right / cell, y: y - down / cell, cell }, frame);
}

/** The cell at (left, top) px of the frame, `{ row, column }`; null outside. */
export function cellAt({ x, y, cell }, { width, height, columns, rows }, left, top) {
  if (left < 0 || top < 0 || left >= width || top >= height) return null;
  const row = Math.floor(y + top / cell), column = Math.floor(x + left / cell);
  return { row: Math.min(row, rows - 1), column: Math.min(column, columns - 1) };
}

/** Moved just far enough to show a cell. */
export function revealCell({ x, y, cell }, frame, row, column) {
  const toShow = (start, index, length) => Math.min(Math.max(start, index + 1 - length / cell), index);
  return clamp({ x: toShow(x, column, frame.width), y: toShow(y, row, frame.height), cell }, frame);
}

/** Zoomed to rows and columns (inclusive), with a margin of one cell. */
export function zoomToRange(frame, [firstRow, lastRow], [firstColumn, lastColumn]) {
  const across = lastColumn - firstColumn + 3, down = lastRow - firstRow + 3;
  const cell = clamp({ x: 0, y: 0, cell: Math.min(frame.width / across, frame.height / down) }, frame).cell;
  return clamp({ x: (firstColumn + lastColumn + 1 - frame.width / cell) / 2,
    y: (firstRow + lastRow + 1 - frame.height / cell) / 2, cell }, frame);
}
