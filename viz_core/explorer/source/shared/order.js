// The order in which weights are read.

/** These places by falling weight; places of equal weight stay in the order of the text. */
export const byWeight = (weights, places) => [...places].sort((a, b) => weights[b] - weights[a] || a - b);
