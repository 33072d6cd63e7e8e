// From weights to places along the colours, and back: the scales of viz_core/rendering/scales.py.

import { channelsAt } from "../shared/colours.js";

const FLOOR = 1e-3; // the log scale is linear below this weight, so that 0 has a place on it
const FINE = 1024; // mixtures of neighbouring stops that are made in advance
const SHADES = 65536; // of a palette: fine enough that small weights keep their steps on a square-root scale

const POSITION = {
  linear: (weight) => weight,
  sqrt: Math.sqrt,
  log: (weight) => Math.log1p(weight / FLOOR),
};
const WEIGHT = { // back from a share of the scale's length
  linear: (share, largest) => share * largest,
  sqrt: (share, largest) => share * share * largest,
  log: (share, largest) => FLOOR * Math.expm1(share * Math.log1p(largest / FLOOR)),
};

/** How far along the colours a weight stands: 0 for 0, 1 for the largest. */
export function share(weight, largest, scale) {
  return POSITION[scale](weight) / POSITION[scale](largest);
}

/** The weight at a share of the colours' length. */
export function weightAt(position, largest, scale) {
  return WEIGHT[scale](position, largest);
}

const palettes = new Map();

/** Colours (32-bit pixels) of weights from 0 to the largest in equal steps of weight: `palette[weight / largest * 65535]`. */
export function palette(stops, scale, largest) {
  const key = `${stops[0]}${stops.at(-1)}${scale}${scale === "log" ? largest : ""}`;
  if (!palettes.has(key)) {
    if (palettes.size > 16) palettes.clear();
    palettes.set(key, ramp(stops, (step) => share(step * largest, largest, scale), SHADES));
  }
  return palettes.get(key);
}

/** Pixels along the stops: `count` equal steps from 0 to 1, each put through `place` first. */
export function ramp(stops, place, count) {
  const fine = pixels(stops), pixelsOfSteps = new Uint32Array(count);
  for (let step = 0; step < count; step++) pixelsOfSteps[step] = fine[Math.round(place(step / (count - 1)) * (FINE - 1))];
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
