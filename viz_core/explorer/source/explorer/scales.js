// From weights to positions along the colour scale, as in viz_core/rendering/scales.py.

import { channelsAt } from "../shared/colours.js";

const TIMES_UNIFORM = 16;
export const MIN_DISTANCE = 0.13; // of two numbers on a legend, as a share of its length
const FLOOR = 1e-3; // the log scale is linear below this weight, so that 0 can be shown
const FINE = 1024; // interpolated colours computed in advance
const SHADES = 65536; // of a palette: fine enough for small weights on a square-root scale

const POSITION = {
  linear: (weight) => weight,
  sqrt: Math.sqrt,
  log: (weight) => Math.log1p(weight / FLOOR),
};

/** The position of a weight along the colours: 0 for 0, 1 for the largest, and for what is larger. */
export function share(weight, largest, scale) {
  return Math.min(1, POSITION[scale](weight) / POSITION[scale](largest));
}

/**
 * The weight of the darkest colour, the same for all heads, and so that a uniform head is pale: 1, in texts of more than
 * 16 tokens 16 times the weight of a uniform head. Norms have no such end: the largest of all heads. Where the limit is
 * `own`, the largest that is shown.
 *
 * @param {{ limit: string }} state
 * @param {{ measure?: string, peaks: number[][] }} input
 * @param {number} tokens of the keys
 * @param {number} largest
 */
export function darkestOf({ limit }, { measure, peaks }, tokens, largest) {
  if (limit === "own") return largest;
  return measure === "norms" ? Math.max(largest, ...peaks.flat()) : Math.min(1, TIMES_UNIFORM / tokens);
}

/** Weights to label on a legend, ascending and `distance` apart: 0, round numbers, and the largest. */
export function ticks(largest, scale, distance = MIN_DISTANCE) {
  const power = 10 ** Math.floor(Math.log10(largest)), relative = (weight) => share(weight, largest, scale);
  const rounds = (powers) => powers.flatMap((ten) => [1, 2, 5].map((digit) => digit * ten * power));
  const step = rounds([0.1, 1, 10]).find((width) => width / largest > distance) ?? largest;
  const candidates = scale === "linear"
    ? Array.from({ length: Math.max(0, Math.ceil(largest / step) - 1) }, (_, index) => (index + 1) * step)
    : rounds([1e-4, 1e-3, 1e-2, 0.1, 1]);
  const marks = [largest];
  for (const candidate of candidates.reverse()) {
    const position = relative(candidate);
    if (position >= distance && position <= relative(marks[0]) - distance) marks.unshift(candidate);
  }
  return [0, ...marks];
}

/** The position of a signed number along diverging colours: 0.5 for 0, 1 for the largest, 0 for minus the largest. */
export function signedShare(value, largest, scale) {
  return 0.5 + (Math.sign(value) * share(Math.abs(value), largest, scale)) / 2;
}

/** The stops of diverging colours from the middle to either end. */
export function halves(diverging) {
  const middle = (diverging.length - 1) / 2;
  return [diverging.slice(0, middle + 1).reverse(), diverging.slice(middle)];
}

const palettes = new Map();

/**
 * Colours (32-bit pixels) of weights from 0 to the largest in equal steps of weight: `palette[weight / largest *
 * 65535]`.
 */
export function palette(stops, scale, largest) {
  const key = `${stops[0]}${stops.at(-1)}${scale}${scale === "log" ? largest : ""}`;
  if (!palettes.has(key)) {
    if (palettes.size > 16) palettes.clear();
    palettes.set(key, ramp(stops, (step) => share(step * largest, largest, scale), SHADES));
  }
  return palettes.get(key);
}

/** `count` pixels for equal steps from 0 to 1; transform: maps a step to a position along the stops. */
export function ramp(stops, transform, count) {
  const fine = pixels(stops), pixelsOfSteps = new Uint32Array(count);
  for (let step = 0; step < count; step++) {
    pixelsOfSteps[step] = fine[Math.round(transform(step / (count - 1)) * (FINE - 1))];
  }
  return pixelsOfSteps;
}

/** Colours of the bytes of a thumbnail, which are square roots of shares of its head's largest weight, the peak. */
export function thumbnailColours(stops, scale, peak, darkest) {
  return ramp(stops, (root) => share(root * root * peak, darkest || 1, scale), 256);
}

const mixtures = new Map(); // first and last stop -> pixels

function pixels(stops) {
  const key = stops[0] + stops.at(-1);
  if (!mixtures.has(key)) {
    mixtures.set(key, Uint32Array.from({ length: FINE }, (_, step) => {
      const [red, green, blue] = channelsAt(stops, step / (FINE - 1));
      return 0xff000000 | (blue << 16) | (green << 8) | red;
    }));
  }
  return mixtures.get(key);
}
