// Sorting by weight.

/** Indices by decreasing weight; ties stay in the order of the text. */
export const byWeight = (weights, indices) => [...indices].sort((a, b) => weights[b] - weights[a] || a - b);
