// Cells written out, with the cells that they are made of.

import assert from "node:assert/strict";
import { test } from "node:test";
import { sources, writeOut } from "../../../../viz_core/explorer/source/calculator/derivation.js";
import { compute } from "../../../../viz_core/explorer/source/calculator/steps.js";
import { BY_HAND, CAUSAL, CROSS } from "./by_hand.js";

const row = (id, row, length) => Array.from({ length }, (_, column) => [id, row, column]);
const column = (id, column, length) => Array.from({ length }, (_, row) => [id, row, column]);

for (const [exercise, [id, row_, column_], sum, cells] of [
  [BY_HAND, ["x", 0, 0], "", []],
  [BY_HAND, ["q1", 0, 0], "1 × 2 + 0 × 0 + 0 × 0 + 0 × 0 = 2", [...row("x", 0, 4), ...column("wq1", 0, 4)]],
  [BY_HAND, ["t1", 0, 1], "−1", [["k1", 1, 0]]],
  [BY_HAND, ["s1", 0, 1], "2 × (−1) + 0 × 0 + 0 × 0 + 0 × 0 = −2", [...row("q1", 0, 4), ...column("t1", 1, 4)]],
  [BY_HAND, ["z1", 0, 1], "(−2) ÷ √4 = (−2) ÷ 2 = −1", [["s1", 0, 1]]],
  [BY_HAND, ["e1", 0, 0], "e^1 ≈ 2.72", [["z1", 0, 0]]],
  [BY_HAND, ["e1", 1, 0], "e^0 = 1", [["z1", 1, 0]]],
  [BY_HAND, ["u1", 0, 0], "2.72 + 0.37 + 1 ≈ 4.09", row("e1", 0, 3)],
  [BY_HAND, ["a1", 0, 1], "0.37 ÷ 4.09 ≈ 0.09", [["e1", 0, 1], ["u1", 0, 0]]],
  [BY_HAND, ["a1", 1, 1], "1 ÷ 3 ≈ 0.33", [["e1", 1, 1], ["u1", 1, 0]]],
  [CAUSAL, ["m1", 0, 1], "−1 → −∞", [["z1", 0, 1]]],
  [CAUSAL, ["e1", 0, 1], "e^−∞ = 0", [["m1", 0, 1]]],
  [CROSS, ["r", 0, 0], "1 × 1 + 3 × 0 + 10 × 0 + 27 × 1 = 28", [...row("c", 0, 4), ...column("wo", 0, 4)]],
  [CROSS, ["c", 1, 3], "21", [["o2", 1, 1]]],
]) {
  test(`row ${row_ + 1}, column ${column_ + 1} of ${id} in ${exercise.kind} attention is ${sum || "given"}`, () => {
    const blocks = compute(exercise), block = blocks.get(id);
    assert.equal(writeOut(blocks, block, row_, column_, 2), sum);
    assert.deepEqual(sources(blocks, block, row_, column_), cells);
  });
}

test("every source of every cell is a cell with a number, and every computed cell is written out", () => {
  const blocks = compute(CROSS);
  for (const block of blocks.values()) {
    block.values.forEach((line, row) => line.forEach((_, column) => {
      for (const [id, i, j] of sources(blocks, block, row, column)) {
        assert.ok(Number.isFinite(blocks.get(id).values[i][j]), block.id);
      }
      assert.equal(writeOut(blocks, block, row, column, 2) === "", block.operation === "given", block.id);
    }));
  }
});
