// The tree of a beam search.

import assert from "node:assert/strict";
import { test } from "node:test";
import { layOutTree } from "../../../../viz_core/explorer/source/translation/beam_layout.js";

const node = (parent, depth, log_probability, survives = true) => ({ parent, depth, log_probability, survives });

test("the best sequence is the first row, and others begin below it where there is room", () => {
  const nodes = [
    node(-1, 1, -0.5), node(-1, 1, -1), // 0, 1
    node(0, 2, -0.8), node(1, 2, -1.2), node(0, 2, -9, false), // 2, 3, 4
    node(2, 3, -1.5), node(3, 3, -1.4), node(2, 3, -2), // 5, 6, 7
  ];
  const place = (index, column, row, best = false) => ({ index, column, row, best });
  assert.deepEqual(layOutTree(nodes, [{ node: 6 }, { node: 5 }]), {
    nodes: [place(1, 0, 0, true), place(3, 1, 0, true), place(6, 2, 0, true),
      place(0, 0, 1), place(2, 1, 1), place(5, 2, 1), place(7, 2, 2)],
    columns: 3, rows: 3 });
});

test("an empty tree has no rows", () => assert.deepEqual(layOutTree([], []), { nodes: [], columns: 0, rows: 0 }));

/** A random search: each of `width` hypotheses has three continuations, of which some end. The leaves, best first. */
function search(width) {
  let seed = width;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647, nodes = [], leaves = [];
  for (let depth = 1, beam = [-1]; depth <= 12 && beam.length; depth++) {
    const first = nodes.length;
    const total = (parent) => nodes[parent]?.log_probability ?? 0;
    const next = beam.flatMap((parent) => [1, 2, 3].map(() => node(parent, depth, total(parent) - random(), false)));
    nodes.push(...next.sort((a, b) => b.log_probability - a.log_probability));
    next.slice(0, width).forEach((node) => { node.survives = true; });
    beam = next.slice(0, width).map((_, index) => first + index).filter((index) => {
      if (random() < 0.8 && depth < 12) return true;
      leaves.push({ node: index, score: nodes[index].log_probability / (depth + 5) });
      return false;
    });
    width = beam.length;
  }
  return { nodes, leaves: leaves.sort((a, b) => b.score - a.score) };
}

for (const width of [1, 3, 8]) {
  test(`of ${width} hypotheses no two nodes are in a place, and sequences go on in their row or below it`, () => {
    const { nodes, leaves } = search(width), tree = layOutTree(nodes, leaves);
    const placed = new Map(tree.nodes.map((node) => [node.index, node]));
    assert.deepEqual([...placed.keys()].sort((a, b) => a - b), [...nodes.keys()].filter((index) => nodes[index].survives));
    assert.equal(new Set(tree.nodes.map(({ column, row }) => `${column} ${row}`)).size, placed.size);
    assert.equal(tree.rows, 1 + Math.max(...tree.nodes.map(({ row }) => row)));
    assert.ok(tree.nodes.some(({ best }) => best) && tree.nodes.every(({ best, row }) => !best || row === 0));
    for (const { index, column, row } of tree.nodes) {
      const { parent, depth } = nodes[index];
      assert.equal(column, depth - 1);
      assert.ok(parent < 0 || placed.get(parent).row <= row);
    }
  });
}
