// The state of a translation in a link.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULTS, fromLink, isChanged, isGreedy, toLink, toRequest } from "../../../../viz_core/explorer/source/translation/state.js";

const read = (link) => fromLink(link, { layers: 3, heads: 4 });

for (const link of [
  {}, { decoding: "beam", width: "8", text: "我去。", word: "3" }, { decoding: "sample", temperature: "0.5", seed: "12" },
  { masked: "1.2 3.4", blocked: "1 5", fed: "1:we 3:: 4:[SEP]" }, { view: "training", reference: "we go ." },
]) {
  test(`the link ${JSON.stringify(link)} describes a state, and the state the link`, () => {
    const fields = { view: "generation", decoding: "greedy", temperature: "1", seed: "0", width: "4", text: "",
      reference: "", fed: "", masked: "", blocked: "", word: "" };
    assert.deepEqual(toLink(read(link)), { ...fields, ...link });
  });
}

for (const [name, ...values] of [
  ["decoding", "x"], ["width", "0", "99"], ["temperature", "x"], ["seed", "-1", "3000000000"], ["masked", "9.9", "x"], ["blocked", "0 x"],
  ["fed", "x:we 0:we 1:"], ["view", "x"],
]) {
  test(`a mistyped ${name} is the default`, () => {
    for (const value of values) assert.deepEqual(read({ [name]: value }), DEFAULTS, value);
  });
}

for (const [expected, ...links] of [
  [true, {}, { temperature: "0.5", seed: "3", query: "2" }],
  [false, { decoding: "beam" }, { decoding: "sample" }, { view: "training", reference: "we go" }, { fed: "1:we" },
    { masked: "1.1" }, { blocked: "2" }],
]) {
  test(`a translation ${expected ? "needs no more than" : "is not that of"} its text alone`, () => {
    for (const link of links) assert.equal(isGreedy(read(link)), expected, JSON.stringify(link));
  });
}

test("in training no word is put there", () => {
  const state = read({ view: "training", reference: "we go", fed: "1:we" });
  assert.deepEqual([toRequest(state).fed, toLink(state).fed, isChanged(state)], [[], "", false]);
});

test("a request has the decoding, and in the view of training the reference", () => {
  const { reference, ...request } = toRequest(read({ view: "training", reference: "we go", decoding: "beam", text: "我去。", masked: "1.2" }));
  assert.equal(reference, "we go");
  assert.deepEqual(request, { text: "我去。", fed: [], masked: [[0, 1]], blocked: [],
    decoding: { method: "beam", temperature: 1, seed: 0, width: 4 } });
  assert.ok(!("reference" in toRequest(read({ reference: "we go" }))));
});
