// Which units of two inputs are the same; tests/explorer/test_comparison.py compares the rule with the server's.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  alignReplaced, alignUnits, nameReplaced, takenOut,
} from "../../../../../viz_core/explorer/source/explorer/comparison/alignment.js";

/** Units of words between spaces: those in brackets are special, and `[SEP]` ends a sentence. */
function unitsOf(text) {
  const labels = text.split(" "), segments = [];
  labels.forEach((_, unit) => segments.push((segments[unit - 1] ?? 0) + (labels[unit - 1] === "[SEP]" ? 1 : 0)));
  const groups = labels.map((label, unit) => (label.startsWith("[") ? -1 : segments[unit]));
  return { count: labels.length, labels, segments, groups };
}

for (const [name, before, after, referenceOf, moved, gaps] of [
  ["words put in and taken out", "[CLS] a fine film [SEP]", "[CLS] not a film ! [SEP]", [0, -1, 1, 3, -1, 4], [], { 3: [2] }],
  ["a word that moved was not taken out; case does not count", "[CLS] a good film [SEP]", "[CLS] good Film A [SEP]",
    [0, 2, 3, 1, 4], [3], {}],
  ["as many words as possible keep their place", "a b c d", "d a b c", [3, 0, 1, 2], [0], {}],
  ["words taken out at the end stand before the separator", "[CLS] a b c [SEP]", "[CLS] a [SEP]", [0, 1, 4], [], { 2: [2, 3] }],
  ["words align within their sentence and move between them", "[CLS] x y [SEP] z [SEP]", "[CLS] z [SEP] x y [SEP]",
    [0, 4, 3, 1, 2, 5], [1, 3, 4], {}],
]) {
  test(name, () => {
    const reference = unitsOf(before), current = unitsOf(after), aligned = alignUnits(reference, current);
    assert.deepEqual([...aligned.referenceOf], referenceOf);
    assert.deepEqual([...aligned.currentOf], reference.labels.map((_, unit) => referenceOf.indexOf(unit)));
    assert.deepEqual(aligned.moved, current.labels.map((_, unit) => moved.includes(unit)));
    assert.deepEqual(takenOut(aligned), [...current.labels, "end"].map((_, unit) => gaps[unit] ?? []));
  });
}

test("a special token differs from the same characters as text", () => {
  const unit = (group) => ({ count: 1, labels: ["[CLS]"], segments: [0], groups: [group] });
  assert.deepEqual([-1, 0].map((group) => alignUnits(unit(-1), unit(group)).referenceOf[0]), [0, -1]);
});

for (const [name, before, after, referenceOf, labels] of [
  ["a word in the place of another has both names", "[CLS] acting is superb [SEP]", "[CLS] Acting is awful [SEP]",
    [0, 1, 2, 3, 4], "[CLS] Acting is superb→awful [SEP]"],
  ["runs of one length are paired by position, each by itself", "花 呗 怎 么 还 款", "借 呗 怎 么 分 期",
    [0, 1, 2, 3, 4, 5], "花→借 呗 怎 么 还→分 款→期"],
  ["runs of different lengths stay as they are", "[CLS] is superb [SEP]", "[CLS] is not good [SEP]",
    [0, 1, -1, -1, 3], "[CLS] is not good [SEP]"],
  ["a run with a word that moved stays as it is", "a b c d x", "x b c d y", [4, 1, 2, 3, -1], "x b c d y"],
  ["a word replaces no special token", "[CLS] fine", "truly fine", [-1, 1], "truly fine"],
  ["a special token replaces no other", "[CLS] fine", "[SOS] fine", [-1, 1], "[SOS] fine"],
  ["a word of the other sentence is not replaced", "[CLS] a b [SEP] c", "[CLS] a [SEP] b c", [0, 1, 3, 2, 4], "[CLS] a [SEP] b c"],
]) {
  test(name, () => {
    const reference = unitsOf(before), current = unitsOf(after), same = alignUnits(reference, current);
    const gaps = takenOut(same), aligned = alignReplaced(reference, current, same);
    assert.deepEqual([...aligned.referenceOf], referenceOf);
    assert.deepEqual([...aligned.currentOf], reference.labels.map((_, unit) => referenceOf.indexOf(unit)));
    const sides = { query: current, key: current, isCausal: true };
    const { units, sides: named } = nameReplaced(reference, sides, same, aligned);
    assert.deepEqual(named, { query: units, key: units, isCausal: true });
    assert.equal(units.labels.join(" "), labels);
    assert.deepEqual(takenOut(same), gaps, "what is the same is left as it was");
  });
}
