// Arrow keys between cells as in a spreadsheet, also from one matrix to its neighbour on the screen.

import { hasModifier, isComposing } from "../shared/keyboard.js";

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], Enter: [0, 1] };

/** What has the focus of a cell: its input, or itself. */
export const focusable = (cell) => cell.querySelector("input") ?? cell;

/** Moves the focus between the cells `cells()` (`td`) with arrow keys and Enter. */
export function listenToArrows(root, cells) {
  root.addEventListener("keydown", (event) => {
    const cell = event.target.closest?.("td[data-block]"), direction = DIRECTIONS[event.key];
    if (!cell || !direction || hasModifier(event) || isComposing(event) || staysInText(event)) return;
    event.preventDefault();
    const next = neighbour(cell, cells(), direction);
    if (!next) return;
    focusable(next).focus();
    next.querySelector("input")?.select();
  });
}

/** Whether an arrow moves within what is typed: to the left or right, and there is a character there to move over. */
function staysInText({ target, key }) {
  if (target.tagName !== "INPUT" || !["ArrowLeft", "ArrowRight"].includes(key)) return false;
  const { selectionStart: start, selectionEnd: end, value } = target;
  return start === end ? (key === "ArrowLeft" ? start > 0 : end < value.length) : end - start < value.length;
}

/** The nearest cell in a direction: of those whose rows, or columns, overlap on the screen, else null. */
export function neighbour(cell, cells, [right, down]) {
  const from = cell.getBoundingClientRect();
  /** @type {HTMLElement | null} */
  let nearest = null;
  let least = Infinity;
  for (const other of cells) {
    const to = other.getBoundingClientRect();
    const along = right ? right * (centre(to, "x") - centre(from, "x")) : down * (centre(to, "y") - centre(from, "y"));
    const aside = right ? Math.abs(centre(to, "y") - centre(from, "y")) : Math.abs(centre(to, "x") - centre(from, "x"));
    const overlaps = aside < (right ? from.height : from.width) / 2 + 1;
    if (other !== cell && along > 2 && overlaps && along < least) [nearest, least] = [other, along];
  }
  return nearest;
}

const centre = (box, axis) => (axis === "x" ? box.left + box.width / 2 : box.top + box.height / 2);
