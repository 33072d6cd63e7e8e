// From weights to positions along the colour scale, and back, as in viz_core/rendering/scales.py.

import { channelsAt } from "../shared/colours.js";

const FLOOR = 1e-3; // the log scale is linear below this weight, so that 0 can be shown
const FINE = 1024; // interpolated colours computed in advance
const SHADES = 65536; // of a palette: fine enough for small weights on a square-root scale

const POSITION = {
  linear: (weight) => weight,
  sqrt: Math.sqrt,
  log: (weight) => Math.log1p(weight / FLOOR),
};
const WEIGHT = { // inverse: from a position along the scale
  linear: (share, largest) => share * largest,
  sqrt: (share, largest) => share * share * largest,
  log: (share, largest) => FLOOR * Math.expm1(share * Math.log1p(largest / FLOOR)),
};

/** The position of a weight along the colours: 0 for 0, 1 for the largest. */
export function share(weight, largest, scale) {
  return POSITION[scale](weight) / POSITION[scale](largest);
}

/** The weight at a position along the colours. */
export function weightAt(position, largest, scale) {
  return WEIGHT[scale](position, largest);
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
