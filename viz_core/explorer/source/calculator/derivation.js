// Where a number comes from: the cells that it is made of, and the arithmetic written out.

import { format, isExact } from "./numbers.js";

/** The cells that a cell is computed from, as `[id, row, column]`, in the order in which they are written. */
export function sources(blocks, { operation, of, values }, row, column) {
  const [first, second] = of, all = (id, length, cell) => Array.from({ length }, (_, index) => [id, ...cell(index)]);
  const columnsOf = (id) => blocks.get(id).values[0].length;
  switch (operation) {
    case "given": return [];
    case "product": return [
      ...all(first, columnsOf(first), (index) => [row, index]), ...all(second, columnsOf(first), (index) => [index, column])];
    case "transpose": return [[first, column, row]];
    case "total": return all(first, columnsOf(first), (index) => [row, index]);
    case "share": return [[first, row, column], [second, row, 0]];
    case "join": {
      const width = values[0].length / of.length;
      return [[of[Math.floor(column / width)], row, column % width]];
    }
    default: return [[first, row, column]]; // of the same cell
  }
}

/** The arithmetic of a cell, such as `1 × 2 + 0 × 3 = 2`; empty for a number that is given. */
export function writeOut(blocks, block, row, column, decimals) {
  const cells = sources(blocks, block, row, column), numbers = cells.map(([id, i, j]) => blocks.get(id).values[i][j]);
  const result = block.values[row][column], text = (number) => format(number, decimals);
  const factor = (number) => (number < 0 ? `(${text(number)})` : text(number));
  const equals = (...written) => (written.every((number) => isExact(number, decimals)) ? "=" : "≈");
  const end = (...written) => `${equals(...written, result)} ${text(result)}`;
  const [first, second] = numbers, half = numbers.length / 2;
  switch (block.operation) {
    case "given": return "";
    case "product": {
      const terms = numbers.slice(0, half).map((number, index) => `${factor(number)} × ${factor(numbers[half + index])}`);
      return `${terms.join(" + ")} ${end(...numbers)}`;
    }
    case "total": return `${numbers.map(text).join(" + ")} ${end(...numbers)}`;
    case "scale": {
      const root = Math.sqrt(block.head), shown = isExact(root, decimals) ? "=" : "≈";
      return `${factor(first)} ÷ √${block.head} ${shown} ${factor(first)} ÷ ${text(root)} ${end(first, root)}`;
    }
    case "exponential": {
      const shift = block.shifts[row], power = first - shift;
      const exponent = shift ? `(${text(first)} − ${factor(shift)})` : text(first);
      return `e^${exponent} ${Number.isFinite(power) ? end(first, shift) : "= 0"}`;
    }
    case "share": return `${text(first)} ÷ ${text(second)} ${end(first, second)}`;
    case "mask": return Number.isFinite(result) ? text(result) : `${text(first)} → −∞`;
    default: return text(result); // the same number elsewhere
  }
}
