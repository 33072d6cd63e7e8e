// Vectors and matrices as images of one pixel per number, which the browser scales up. Blue above 0, orange below.

import { paintPixels } from "../explorer/canvas.js";
import { ramp } from "../explorer/scales.js";

const SHADES = 1024;
const shades = new Map(); // stops -> pixels

/** The largest size of a number in any of the arrays. */
export function limitOf(...arrays) {
  let largest = 0;
  for (const array of arrays) for (const value of array) if (Math.abs(value) > largest && Math.abs(value) < Infinity) largest = Math.abs(value);
  return largest;
}

/** Signed numbers (rows · columns) on diverging stops from −limit to limit. */
export function paintSigned(canvas, values, columns, limit, stops) {
  paint(canvas, values, columns, stops, (value) => (value / (limit || 1) + 1) / 2);
}

/** Weights (rows · columns) on sequential stops from 0 to limit. */
export function paintWeights(canvas, values, columns, limit, stops) {
  paint(canvas, values, columns, stops, (value) => value / limit);
}

function paint(canvas, values, columns, stops, position) {
  const key = stops.join();
  if (!shades.has(key)) shades.set(key, ramp(stops, (step) => step, SHADES));
  const pixels = shades.get(key), last = SHADES - 1;
  paintPixels(canvas, columns, Math.max(1, Math.ceil(values.length / columns)), (image) => {
    for (let index = 0; index < values.length; index++) {
      image[index] = pixels[Math.min(Math.max(Math.round(position(values[index]) * last), 0), last)];
    }
  });
}
