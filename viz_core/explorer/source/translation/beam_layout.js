// Positions in the tree of a beam search: a column per token, a row per hypothesis.

import { pathTo } from "./result.js";

/**
 * `{ nodes: [{ index, column, row, best }], columns, rows }` of the nodes that survived; dead ends keep a row of their
 * own. best: whether the node is on the path of the best hypothesis.
 */
export function layOutTree(nodes, leaves) {
  const children = new Map();
  nodes.forEach(({ parent, survives }, index) => {
    if (survives) children.set(parent, [...(children.get(parent) ?? []), index]);
  });
  const best = new Set(leaves.length ? pathTo(nodes, leaves[0].node) : []), placed = [];
  let rows = 0;
  // The subtree of the best hypothesis comes first, so that its path is a straight line at the top.
  const order = (index) => (best.has(index) ? Infinity : nodes[index].log_probability);
  const place = (index, column) => {
    const node = { index, column, row: rows, best: best.has(index) };
    placed.push(node);
    const next = [...(children.get(index) ?? [])].sort((a, b) => order(b) - order(a));
    next.forEach((child, position) => {
      if (position) rows++;
      place(child, column + 1);
    });
  };
  (children.get(-1) ?? []).sort((a, b) => order(b) - order(a)).forEach((index, position) => {
    if (position) rows++;
    place(index, 0);
  });
  return { nodes: placed, columns: Math.max(0, ...nodes.map(({ depth }) => depth)), rows: placed.length ? rows + 1 : 0 };
}
