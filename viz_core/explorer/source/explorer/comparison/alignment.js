// Which units of two inputs are the same: a longest common subsequence, then equal units that moved. The same as
// viz_core/analysis/difference.py; tests/explorer/test_comparison.py compares the two.

/** @import { Aligned, Units } from "../../shared/records.js" */

/**
 * Aligns the units (units.js) of a reference with those of the current input. `currentOf`: for each unit of the
 * reference, the same unit of the current input, -1 if it was taken out. `referenceOf`: the other way round, -1 for
 * units that were put in. `moved`: whether a unit of the current input stood elsewhere in the reference.
 *
 * @param {Units} reference
 * @param {Units} current
 * @returns {Aligned}
 */
export function alignUnits(reference, current) {
  const currentOf = new Int32Array(reference.count).fill(-1), referenceOf = new Int32Array(current.count).fill(-1);
  const moved = new Array(current.count).fill(false);
  const match = (/** @type {number[]} */ [before, after]) => {
    currentOf[before] = after;
    referenceOf[after] = before;
  };
  const names = [reference, current].map(namesOf);
  const inSentences = [reference, current].map(({ segments }, side) => (
    names[side].map((name, unit) => `${segments[unit]} ${name}`)));
  commonSubsequence(...inSentences).forEach(match);
  for (const pair of equalRest(...names, currentOf, referenceOf)) {
    match(pair);
    moved[pair[1]] = true;
  }
  return { currentOf, referenceOf, moved };
}

/** What units are compared by: their text in lower case; special tokens differ from the same characters as text. */
const namesOf = ({ labels, groups }) => (
  Array.from(labels, (label, unit) => `${groups[unit] < 0 ? "special" : "text"} ${label.toLowerCase()}`));

/**
 * A longest common subsequence of two lists, as pairs of positions, increasing. Dynamic programming over what is left
 * without the common start and end (Wagner and Fischer 1974), which is short while a person edits a text.
 */
export function commonSubsequence(before, after) {
  const most = Math.min(before.length, after.length);
  let start = 0, end = 0;
  while (start < most && before[start] === after[start]) start++;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const run = (length, row, column) => Array.from({ length }, (_, step) => [row + step, column + step]);
  const middle = longestCommon(before.slice(start, before.length - end), after.slice(start, after.length - end));
  return [...run(start, 0, 0), ...middle.map(([row, column]) => [row + start, column + start]),
    ...run(end, before.length - end, after.length - end)];
}

function longestCommon(before, after) {
  // longest[row * width + column]: of before from `row` on and after from `column` on.
  const width = after.length + 1, longest = new Uint16Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row--) for (let column = after.length - 1; column >= 0; column--) {
    const at = row * width + column;
    longest[at] = before[row] === after[column] ? longest[at + width + 1] + 1
      : Math.max(longest[at + width], longest[at + 1]);
  }
  const pairs = [];
  for (let row = 0, column = 0; row < before.length && column < after.length;) {
    const at = row * width + column;
    if (before[row] === after[column]) pairs.push([row++, column++]);
    else if (longest[at + width] >= longest[at + 1]) row++;
    else column++;
  }
  return pairs;
}

/** Pairs of equal items without a partner so far, each matched once, in order. */
function equalRest(before, after, currentOf, referenceOf) {
  /** @type {Map<string, number[]>} positions by name */
  const waiting = new Map();
  before.forEach((name, position) => {
    if (currentOf[position] < 0) waiting.set(name, [...(waiting.get(name) ?? []), position]);
  });
  return after.flatMap((name, position) => {
    const before = referenceOf[position] < 0 ? waiting.get(name)?.shift() : undefined;
    return before === undefined ? [] : [[before, position]];
  });
}

/**
 * Units of the reference that were taken out, by where they stood: `gaps[unit]` lists those before `unit` of the
 * current input, `gaps[count]` those at the end.
 */
export function takenOut({ currentOf, referenceOf, moved }) {
  /** @type {number[][]} */
  const gaps = Array.from({ length: referenceOf.length + 1 }, () => []);
  let next = 0; // behind the last unit that kept its place
  currentOf.forEach((unit, position) => {
    if (unit < 0) gaps[next].push(position);
    else if (!moved[unit]) next = unit + 1;
  });
  return gaps;
}
