// Numbers as they are shown.

/** Seconds: `34 ms`, `1.2 s`. */
export const duration = (seconds) => (seconds < 1 ? `${Math.max(1, Math.round(1000 * seconds))} ms` : `${seconds.toFixed(1)} s`);
