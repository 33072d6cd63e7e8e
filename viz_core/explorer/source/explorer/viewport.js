// Which part of a matrix is seen and how large: pure geometry. A viewport is `{ x, y, cell }`: the column and row at the
// upper left corner (fractions of cells), and the px of a cell; `frame` is `{ width, height, columns, rows, least,
// largest }`, of which `least` and `largest` are px of a cell.

const LARGEST = 72; // px of a cell: three tokens make no poster

/** The frame that shows all cells, of up to `largest` px, in at most `width` x `height` px; and its viewport. */
export function fit(width, height, columns, rows, largest = LARGEST) {
  const least = Math.min(largest, width / columns, height / rows);
  const frame = { width: least * columns, height: least * rows, columns, rows, least, largest };
  return { frame, viewport: { x: 0, y: 0, cell: least } };
}

/** The viewport moved to where it shows no place outside the matrix. */
export function clamped({ x, y, cell }, { width, height, columns, rows, least, largest }) {
  const size = Math.min(Math.max(cell, least), largest);
  const within = (place, count, length) => Math.min(Math.max(place, 0), Math.max(count - length / size, 0));
  return { x: within(x, columns, width), y: within(y, rows, height), cell: size };
}

/** Enlarged (`factor` > 1) or shrunk so that what is at (left, top) px stays there. */
export function zoomed({ x, y, cell }, frame, factor, left, top) {
  const size = clamped({ x, y, cell: cell * factor }, frame).cell;
  return clamped({ x: x + left / cell - left / size, y: y + top / cell - top / size, cell: size }, frame);
}

/** Moved by px, as the content follows a dragging hand. */
export function panned({ x, y, cell }, frame, right, down) {
  return clamped({ x: x - right / cell, y: y - down / cell, cell }, frame);
}

/** The cell at (left, top) px of the frame, `{ row, column }`; null outside. */
export function cellAt({ x, y, cell }, { width, height, columns, rows }, left, top) {
  if (left < 0 || top < 0 || left >= width || top >= height) return null;
  return { row: Math.min(Math.floor(y + top / cell), rows - 1), column: Math.min(Math.floor(x + left / cell), columns - 1) };
}

/** Moved as little as needed to show a cell. */
export function revealed({ x, y, cell }, frame, row, column) {
  const toShow = (place, at, length) => Math.min(Math.max(place, at + 1 - length / cell), at);
  return clamped({ x: toShow(x, column, frame.width), y: toShow(y, row, frame.height), cell }, frame);
}

/** Enlarged to rows and columns (inclusive) with a cell of room around them. */
export function zoomedTo(frame, [firstRow, lastRow], [firstColumn, lastColumn]) {
  const across = lastColumn - firstColumn + 3, down = lastRow - firstRow + 3;
  const cell = clamped({ x: 0, y: 0, cell: Math.min(frame.width / across, frame.height / down) }, frame).cell;
  return clamped({ x: (firstColumn + lastColumn + 1 - frame.width / cell) / 2,
    y: (firstRow + lastRow + 1 - frame.height / cell) / 2, cell }, frame);
}
