// An exercise whose queries, keys and scores are seen at a glance: three tokens with d = 4, so that √d is 2.

const MATRIX = (first, second = [0, 0, 0, 0]) => [first, second, [0, 0, 0, 0], [0, 0, 0, 0]];

export const BY_HAND = {
  kind: "self", heads: 1, width: 4, head: 4, tokens: 3, targets: 3, projected: false,
  numbers: {
    x: [[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]],
    wq1: MATRIX([2, 0, 0, 0]),
    wk1: MATRIX([1, 0, 0, 0], [-1, 0, 0, 0]),
    wv1: MATRIX([3, 0, 0, 0], [0, 6, 0, 0]),
  },
};
export const CAUSAL = { ...BY_HAND, kind: "causal" };

// Two queries of another text over three tokens, in two heads that are joined and projected. The first head's queries are 0,
// so that it attends uniformly; the second attends to the largest first number, times ln 2 · √2.
const LN = Math.LN2 * Math.SQRT2;
export const CROSS = {
  kind: "cross", heads: 2, width: 2, head: 2, tokens: 3, targets: 2, projected: true,
  numbers: {
    x: [[1, 0], [0, 3], [2, 6]],
    y: [[1, 0], [0, 1]],
    wq1: [[0, 0], [0, 0]], wk1: [[1, 0], [0, 1]], wv1: [[1, 0], [0, 1]],
    wq2: [[LN, 0], [0, 0]], wk2: [[1, 0], [0, 0]], wv2: [[7, 0], [0, 7]],
    wo: [[1, 0], [0, 1], [0, 1], [1, 0]],
  },
};
