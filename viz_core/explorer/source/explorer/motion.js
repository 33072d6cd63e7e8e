// Whether the visitor has asked the system for less motion: then nothing moves or goes on by itself.

export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
