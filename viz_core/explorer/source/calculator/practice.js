// Practice: the student types the results of the steps that are left blank; a right one turns green.

import { sources } from "./derivation.js";
import { stepOf } from "./layout.js";
import { isExact } from "./numbers.js";

/** The key of a cell among the answers, each `{ text, left }`. left: whether the cell was left since, so that a wrong one is marked. */
export const placeKey = (id, row, column) => `${id} ${row} ${column}`;

/** The number that was typed: also a fraction, a decimal comma and −∞; NaN for none. */
export function parseAnswer(text) {
  const typed = text.normalize("NFKC").replaceAll("−", "-").replace(/\s/g, "").replace(",", ".");
  if (/^-(∞|inf(inity)?)$/i.test(typed)) return -Infinity;
  const fraction = /^(-?\d+)\/(\d+)$/.exec(typed);
  if (fraction) return Number(fraction[1]) / Number(fraction[2]);
  return /^[+-]?(\d+\.?\d*|\.\d+)(e\d+)?$/i.test(typed) ? Number(typed) : NaN;
}

/** Whether it is the number: exactly, or where it is rounded up to one unit of the last place, as rounding along the way gives. */
export function isRight(text, value, decimals) {
  const typed = parseAnswer(text);
  if (!Number.isFinite(value)) return typed === value;
  const slack = isExact(value, decimals) ? 0 : 10 ** -decimals;
  return Math.abs(typed - value) <= slack + 1e-9 * Math.max(1, Math.abs(value));
}

/**
 * Of each cell whether it is asked: `(block, row, column) -> { text, verdict, typed } | null`, null where the number is
 * shown. verdict: `right`, `wrong` or empty; typed: whether it is typed there, as no number is that only stands in another
 * place (K transposed, outputs side by side): that is shown as soon as it is right where it comes from.
 */
export function createAsking({ blocks, decimals }, blanks, answers) {
  const asks = (block, row, column) => {
    if (!blanks.includes(stepOf(block))) return null;
    if (isCopy(block)) {
      const [[id, i, j]] = sources(blocks, block, row, column), source = asks(blocks.get(id), i, j);
      return source && source.verdict !== "right" ? { text: "", verdict: "", typed: false } : null;
    }
    const { text, left } = answers[placeKey(block.id, row, column)] ?? { text: "", left: false };
    const verdict = isRight(text, block.values[row][column], decimals) ? "right" : left && text.trim() ? "wrong" : "";
    return { text, verdict, typed: true };
  };
  return asks;
}

/** How many numbers are asked, and how many of them are right. */
export function countRight({ blocks }, asks) {
  const verdicts = [...blocks.values()].flatMap((block) => block.values.flatMap((line, row) =>
    line.map((_, column) => asks(block, row, column)))).filter((asked) => asked?.typed).map((asked) => asked?.verdict);
  return { count: verdicts.length, right: verdicts.filter((verdict) => verdict === "right").length };
}

/** Whether the numbers of a matrix only stand in another place. */
export const isCopy = ({ operation }) => operation === "transpose" || operation === "join";
