import assert from "node:assert/strict";
import { test } from "node:test";
import { EXAMPLES } from "../../../../viz_core/explorer/source/calculator/examples.js";
import { decode, encode } from "../../../../viz_core/explorer/source/calculator/exercise.js";

for (const [name, exercise] of Object.entries(EXAMPLES)) {
  test(`the example ${name} and its text in the link are the same`, () => {
    const text = encode(exercise), { names: _, targetNames: __, ...decoded } = decode(text);
    assert.deepEqual(decoded, exercise);
    assert.match(text, /^[\w~.-]{1,249}$/);
  });
}
