// Which units of two inputs are the same: a longest common subsequence, then equal units that moved; and which replace
// others. The same as viz_core/analysis/difference.py; tests/explorer/test_comparison.py compares the two.

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
 * The same, with the words that replace others paired as well, by position: runs of one length between two units that kept
 * their place. Runs of different lengths stay without partners, because it is unknown which word stands for which, and so
 * do runs with a word that moved.
 *
 * @param {Units} reference
 * @param {Units} current
 * @param {Aligned} same as of alignUnits
 * @returns {Aligned}
 */
export function alignReplaced(reference, current, same) {
  const currentOf = same.currentOf.slice(), referenceOf = same.referenceOf.slice();
  let before = 0, after = 0; // where the run begins
  const closeRun = (endBefore, endAfter) => {
    const steps = Array.from({ length: endAfter - after }, (_, step) => [before + step, after + step]);
    const isReplaced = endBefore - before === steps.length && steps.every(([from, to]) => currentOf[from] < 0
      && referenceOf[to] < 0 && current.groups[to] >= 0 && current.groups[to] === reference.groups[from]);
    if (isReplaced) for (const [from, to] of steps) [currentOf[from], referenceOf[to]] = [to, from];
    [before, after] = [endBefore + 1, endAfter + 1];
  };
  same.referenceOf.forEach((unit, position) => { if (unit >= 0 && !same.moved[position]) closeRun(unit, position); });
  closeRun(reference.count, current.count);
  return { ...same, currentOf, referenceOf };
}

/** The units as a difference names them: a word that replaces another has both names, `superb→awful`. */
export function nameReplaced(reference, sides, same, { referenceOf }) {
  const labels = Array.from(sides.query.labels, (label, unit) => (
    referenceOf[unit] === same.referenceOf[unit] ? label : `${reference.labels[referenceOf[unit]]}→${label}`));
  const units = { ...sides.query, labels };
  return { units, sides: { ...sides, query: units, key: units } };
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
