// Numbers as they are shown.

import { percent as exactPercent } from "../shared/numbers.js";

/** A probability: `34%`, with a decimal near 0% and 100%, to which it is never rounded. */
export function percent(probability) {
  return probability >= 0.0995 && probability < 0.995 ? `${Math.round(100 * probability)}%` : exactPercent(probability);
}

/** Seconds: `34 ms`, `1.2 s`. */
export const duration = (seconds) => (seconds < 1 ? `${Math.max(1, Math.round(1000 * seconds))} ms` : `${seconds.toFixed(1)} s`);
