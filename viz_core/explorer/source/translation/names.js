// Numbers as they are shown.

/** A probability: `4%`, `0.3%`, `<0.1%`. */
export function percent(probability) {
  const value = 100 * probability;
  if (value >= 9.95) return `${Math.round(value)}%`;
  return value >= 0.1 ? `${value.toFixed(1)}%` : "<0.1%";
}

/** Seconds: `34 ms`, `1.2 s`. */
export const duration = (seconds) => (seconds < 1 ? `${Math.max(1, Math.round(1000 * seconds))} ms` : `${seconds.toFixed(1)} s`);
