// Positions in the tree of a beam search: a column per token, and as few rows as there is room in.

import { pathTo } from "./result.js";

const ENDING = 2, SPACE = 1; // columns that the score of a complete sequence takes, and between sequences in a row

/**
 * `{ nodes: [{ index, column, row, best }], columns, rows }` of the nodes that survived. A sequence is a row, as far as it
 * is the likeliest continuation of itself; another continuation starts in the first row below that is free. best:
 * whether the node is on the path of the best hypothesis, which is the first row.
 */
export function layOutTree(nodes, leaves) {
  const children = new Map(), ends = new Set(leaves.map(({ node }) => node));
  nodes.forEach(({ parent, survives }, index) => {
    if (survives) children.set(parent, [...(children.get(parent) ?? []), index]);
  });
  const best = new Set(leaves.length ? pathTo(nodes, leaves[0].node) : []), placed = [], taken = [];
  const order = (index) => (best.has(index) ? Infinity : nodes[index].log_probability);
  const continuations = (index) => [...(children.get(index) ?? [])].sort((a, b) => order(b) - order(a));

  /** Places a node, its likeliest continuations beside it, and then the others below. */
  function place(index, column, firstRow) {
    const chain = [index];
    while (continuations(chain.at(-1)).length) chain.push(continuations(chain.at(-1))[0]);
    const end = column + chain.length + (ends.has(chain.at(-1)) ? ENDING : SPACE), row = freeRow(firstRow, column, end);
    chain.forEach((node, position) => placed.push({ index: node, column: column + position, row, best: best.has(node) }));
    for (let position = chain.length - 1; position >= 0; position--) {
      for (const other of continuations(chain[position]).slice(1)) place(other, column + position + 1, row + 1);
    }
  }

  /** The first row from which these columns are free, which are then taken. */
  function freeRow(row, start, end) {
    while (taken[row]?.some(([from, to]) => start < to && from < end)) row++;
    taken[row] = [...(taken[row] ?? []), [start, end]];
    return row;
  }

  continuations(-1).forEach((index) => place(index, 0, 0));
  return { nodes: placed, columns: Math.max(0, ...nodes.map(({ depth }) => depth)), rows: taken.length };
}
