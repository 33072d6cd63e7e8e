// Exercises to start from: small integers, so that queries, keys, values and scores are integers.

const self = { kind: "self", heads: 1, projected: false, targets: 3 };

/** By name, in order; the names of their tokens are in the catalogue. */
export const EXAMPLES = {
  d2: { ...self, tokens: 3, width: 2, head: 2, numbers: {
    x: [[1, 0], [0, 1], [1, 1]],
    wq1: [[1, 1], [0, 1]], wk1: [[1, 0], [1, 1]], wv1: [[2, 0], [0, 1]] } },
  d3: { ...self, tokens: 3, width: 4, head: 3, numbers: {
    x: [[1, 0, 1, 0], [0, 2, 0, 1], [1, 1, 1, 1]],
    wq1: [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]],
    wk1: [[0, 1, 0], [1, 0, 0], [1, 0, 1], [0, 1, 0]],
    wv1: [[1, 0, 2], [0, 1, 0], [1, 0, 0], [0, 2, 1]] } },
  d4: { ...self, tokens: 4, width: 4, head: 4, numbers: {
    x: [[1, 0, 0, 1], [0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1]],
    wq1: [[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 0, 0], [0, 0, 1, 1]],
    wk1: [[1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 2, 0], [1, 0, 0, 1]],
    wv1: [[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 3, 0], [0, 0, 0, 4]] } },
  causal: { ...self, kind: "causal", tokens: 4, width: 2, head: 2, numbers: {
    x: [[1, 0], [0, 1], [1, 1], [2, 0]],
    wq1: [[1, 0], [1, 1]], wk1: [[0, 1], [1, 0]], wv1: [[1, 2], [3, 0]] } },
  heads: { ...self, heads: 2, projected: true, tokens: 3, width: 4, head: 2, numbers: {
    x: [[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]],
    wq1: [[1, 0], [0, 1], [0, 0], [0, 0]], wk1: [[1, 0], [0, 1], [1, 0], [0, 1]], wv1: [[1, 0], [0, 1], [0, 0], [0, 0]],
    wq2: [[0, 0], [1, 0], [2, 0], [0, 1]], wk2: [[0, 0], [1, 0], [0, 1], [0, 1]], wv2: [[0, 0], [1, 0], [2, 0], [0, 3]],
    wo: [[1, 0, 0, 1], [0, 1, 1, 0], [1, 0, 1, 0], [0, 1, 0, 1]] } },
  cross: { ...self, kind: "cross", tokens: 4, targets: 3, width: 3, head: 2, numbers: {
    x: [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]],
    y: [[1, 0, 1], [0, 1, 0], [0, 2, 1]],
    wq1: [[1, 0], [0, 1], [0, 1]], wk1: [[2, 0], [0, 1], [1, 1]], wv1: [[1, 0], [0, 2], [3, 1]] } },
};
