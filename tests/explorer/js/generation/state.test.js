// What is set for a language model: in a link, and with another token.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULTS, fromLink, putToken, toLink, toRequest, waits } from "../../../../viz_core/explorer/source/generation/state.js";

for (const link of [
  {}, { text: "we go", written: "5 6", kept: "5 7 8", word: "3" }, { text: "we go", chat: "1", system: "be brief" }, { text: "", chat: "1", turns: '[["we go","to \\"school\\""],["why","."]]' }, { text: "we go", without: "2.1 1.3" }, { decoding: "sample", temperature: "0.5", top_k: "10", top_p: "0.9", seed: "12" },
]) {
  test(`the link ${JSON.stringify(link)} describes a state, and the state the link`, () => {
    const fields = { text: "", chat: "", system: "", turns: "", written: "", kept: "", without: "", decoding: "greedy", temperature: "1", top_k: "0", top_p: "1", seed: "0", word: "" };
    assert.deepEqual(toLink(fromLink(link)), { ...fields, ...link });
  });
}

for (const [name, ...values] of [
  ["decoding", "beam"], ["temperature", "x", "0", "3"], ["top_k", "3", "x"], ["top_p", "0", "2"], ["seed", "-1", "3000000000"],
  ["written", "x", "1 -2", "1.5"], ["chat", "0", "true"], ["kept", "x", "1 -2"], ["without", "x", "1", "0.1", "1.1.1"], ["word", "0", "x", "1.5"], ["turns", "x", "{}", "[1]", '[["a"]]', '[["a",1]]', '[["a","b","c"]]', "null"],
]) {
  test(`a mistyped ${name} is the default`, () => {
    for (const value of values) assert.deepEqual(fromLink({ [name]: value }), DEFAULTS, value);
  });
}

test("a request has the decoding under the names of the server", () => {
  const state = fromLink({ text: "we go", written: "5", without: "2.1, 1.3", decoding: "sample", top_k: "10", top_p: "0.9", seed: "2", word: "1" });
  assert.deepEqual(toRequest(state), { text: "we go", chat: false, system: "", turns: [], written: [5], masked: [[1, 0], [0, 2]],
    decoding: { method: "sample", temperature: 1, top_k: 10, top_p: 0.9, seed: 2 } });
});

test("a chat waits for a message once there is an answer, and the request has the turns before it", () => {
  const state = fromLink({ text: " ", chat: "1", turns: '[["we go","home"]]' });
  assert.deepEqual(toRequest(state).turns, [["we go", "home"]]);
  assert.deepEqual([state, { ...state, text: "why" }, { ...state, chat: false }, { ...state, turns: [] }].map(waits),
    [true, false, false, false]);
});

// "we go" is typed, 7 8 9 are written: five tokens, of which the second begins at the third character.
const STATE = { ...DEFAULTS, text: "we go", written: [7, 8, 9] }, RESULT = { starts: [0, 3], steps: [null, 1, 2, 3, 4] };

for (const [name, position, changed] of [
  ["a written token", 3, { text: "we go", written: [7, 1], after: 1 }],
  ["the next token", 5, { text: "we go", written: [7, 8, 9, 1], after: 0 }],
  ["a typed token, with which the text ends", 1, { text: "we ", written: [1], after: 3 }],
  ["the first token, before which nothing would be left", 0, null],
]) {
  test(`another one in place of ${name}`, () => assert.deepEqual(putToken(STATE, RESULT, position, 1), changed));
}
