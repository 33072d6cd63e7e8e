// What the query of a passage is called.

import assert from "node:assert/strict";
import test from "node:test";

import { queryName } from "../../../../viz_core/explorer/source/passages/query.js";

const TEXT = { labels: ["[CLS]", "一", "借", "<0x80>", "<0x9F>", "▁", "a"], groups: [-1, 0, 0, 0, 0, 0, 0],
  words: [0, 1, 2, 2, 2, 3, 3], /** @type {[string, number][]} */ texts: null };
TEXT.texts = [[["", 0], ["一", 1], [" ", -1], ["借", 2], ["", 3], ["", 4], [" ", -1], ["", 5], ["a", 6]]];
const nameOf = (marked) => queryName({ ...TEXT, marked, query: TEXT.labels[marked] });

test("a byte of a character is named after the character", () => {
  assert.deepEqual([2, 3, 4].map(nameOf), ["借", "借 · <0x80>", "借 · <0x9F>"]);
});

test("what shows itself, is special or begins a word has its label", () => {
  assert.deepEqual([0, 1, 5, 6].map(nameOf), ["[CLS]", "一", "▁", "a"]);
  assert.equal(queryName({ ...TEXT, marked: null, query: "借" }), "借");
});
