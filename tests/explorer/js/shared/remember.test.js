import assert from "node:assert/strict";
import { test } from "node:test";
import { remember } from "../../../../viz_core/explorer/source/shared/remember.js";

test("a function runs again only if an argument differs; arrays and plain objects are compared by their content", () => {
  const runs = [], array = Float32Array.of(1), run = remember((...values) => runs.push(values));
  const returned = [[[1, { a: 2 }], array], [[1, { a: 2 }], array], [[1, { a: 3 }], array], [[1, { a: 3 }], array.slice()], []]
    .map((values) => run(...values));
  assert.deepEqual(returned, [1, 1, 2, 3, 4]);
});

test("known arguments count as those of a last run", () => {
  const asked = [], ask = remember((value) => asked.push(value), { a: 1 });
  for (const a of [1, 2, 2, 1]) ask({ a });
  assert.deepEqual(asked, [{ a: 2 }, { a: 1 }]);
});

test("what threw runs again", () => {
  const run = remember((value) => { throw new Error(value); });
  for (let count = 0; count < 2; count++) assert.throws(() => run("x"), /x/);
});
