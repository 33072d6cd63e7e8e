// What is selected in one attention of a translation, in the others, and in the link. The translation has 10 source
// tokens, and 7 of the target with [CLS], which is only read, or with [SEP], which is only produced.

import assert from "node:assert/strict";
import { test } from "node:test";
import { NOWHERE, placesOf, selectionAt } from "../../../../viz_core/explorer/source/explorer/kinds.js";
import { DEFAULTS, fromLink, toLink } from "../../../../viz_core/explorer/source/explorer/selection.js";

const source = { name: "source", tokens: 10 }, target = { name: "target", tokens: 7 }, output = { name: "output", tokens: 7 };
const INPUTS = {
  cross: { sides: { query: output, key: source } }, self: { sides: { query: source, key: source } },
  causal: { sides: { query: target, key: target } },
};

for (const [before, after, selected, carried] of [
  ["cross", "causal", [4, 3], [5, null]], // tomorrow is read a position after it is produced
  ["cross", "self", [4, 3], [3, null]],
  ["cross", "causal", [6, null], [null, null]], // [SEP] is produced, but never read
  ["causal", "cross", [0, null], [null, null]], // [CLS] is read, but never produced
  ["causal", "cross", [5, 2], [4, null]],
  ["causal", "cross", [1, 0], [0, null]],
  ["self", "cross", [3, 5], [null, 3]],
  ["self", "causal", [3, 5], [null, null]],
]) {
  test(`query and key ${selected} of ${before} attention are ${carried} of ${after} attention`, () => {
    const places = placesOf({ query: selected[0], key: selected[1] }, INPUTS[before], NOWHERE);
    assert.deepEqual(selectionAt(places, INPUTS[after]), { query: carried[0], key: carried[1] });
  });
}

test("what was selected in the other sentence is remembered", () => {
  const started = placesOf({ query: 4, key: 3 }, INPUTS.cross, NOWHERE);
  const moved = placesOf({ query: 8, key: null }, INPUTS.self, started);
  // The token read at 2 is produced at 1; 8 was selected in the encoder.
  assert.deepEqual(selectionAt(placesOf({ query: null, key: 2 }, INPUTS.causal, moved), INPUTS.cross), { query: 1, key: 8 });
});

test("the kind is in the link, and a token that a sentence does not have is left out", () => {
  const model = { layers: 2, heads: 4, kinds: ["cross", "self", "causal"] };
  const link = toLink({ ...DEFAULTS, query: 9, key: 9 }, { ...model, ...INPUTS.self, kind: "self" });
  assert.deepEqual([link.kind, link.query, link.key], ["self", "10", "10"]);
  const state = fromLink(link, { ...model, ...INPUTS.cross, kind: "cross" });
  assert.deepEqual([state.query, state.key], [undefined, 9]);
});
