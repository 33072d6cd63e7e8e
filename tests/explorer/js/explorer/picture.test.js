// What stands below a saved picture. say: the key and the values of each message.

import assert from "node:assert/strict";
import { test } from "node:test";
import { captionOf } from "../../../../viz_core/explorer/source/explorer/picture.js";

const say = (key, values = {}) => [key, ...Object.values(values)].join(" ");
const INPUT = { model: "small", modelName: "small: 4 x 4", layers: 2, heads: 4,
  texts: [[["花呗", 1], ["怎么", 2]], [["如何", 5]]] };

function caption(mock, state, options, input = INPUT) {
  mock.timers.enable({ apis: ["Date"], now: new Date(2026, 2, 14, 12) });
  return captionOf({ say, input }, { heads: [[1, 0], [0, 1]], ...state }, options);
}

test("names model, heads, colour scale, date and texts", ({ mock }) => {
  assert.equal(caption(mock, {}, { scale: "log" }),
    "small: 4 x 4 · caption_head 2.1 1.2 · caption_scale scale_log · 2026-03-14 · caption_text 花呗怎么 / 如何");
});

test("a head that people named has its name, several have none", ({ mock }) => {
  const input = { ...INPUT, names: { "self 2.1": "aligner" } };
  assert.match(caption(mock, { heads: [[1, 0]] }, {}, input), / caption_head 2\.1 · aligner · 2026/);
  assert.match(captionOf({ say, input }, { heads: [[1, 0], [0, 1]] }), / caption_head 2\.1 1\.2 · 2026/);
});

test("of a translation names the attention and both sentences, the source first; and norms", ({ mock }) => {
  const side = (text) => ({ texts: [[[text, 0]]] }), sides = { query: side("go"), key: side("去") };
  assert.equal(caption(mock, { heads: [[1, 3]] }, {}, { ...INPUT, kind: "cross", measure: "norms", sides }),
    "small: 4 x 4 · kind_cross_long · caption_head 2.4 · measure_norms · 2026-03-14 · caption_text 去 → go");
});

test("of a difference ends with the reference, and with its model if that is another", () => {
  const reference = { ...INPUT, texts: [[["ab cd", 1]], [["ef", 3]]] };
  const ending = (state) => (
    captionOf({ say, input: INPUT }, { heads: [[1, 3]], ...state }, { difference: {} }).split(" · ").at(-1));
  assert.equal(ending({ reference, referenceHeads: [[1, 0]] }), "caption_reference caption_head 2.1, caption_text ab cd / ef");
  assert.equal(ending({ reference: { ...reference, model: "x" }, referenceHeads: null }),
    "caption_reference small: 4 x 4, caption_head 2.4, caption_text ab cd / ef");
});
