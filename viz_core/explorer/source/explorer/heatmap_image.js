// A matrix as an image with one pixel per cell, scaled up by the browser.

import { palette } from "./scales.js";

/** Paints the weights of a map onto `canvas`. */
export function paintWeights(canvas, map, stops, scale) {
  Object.assign(canvas, { width: map.keys.length, height: map.queries.length });
  const image = new ImageData(canvas.width, canvas.height), pixels = new Uint32Array(image.data.buffer);
  const colours = palette(stops, scale, map.largest), steps = (colours.length - 1) / map.largest;
  for (let cell = 0; cell < pixels.length; cell++) pixels[cell] = colours[(map.weights[cell] * steps + 0.5) | 0];
  canvas.getContext("2d").putImageData(image, 0, 0);
}

/** Paints the thumbnail (square roots already) while the exact weights are being fetched. */
export function paintThumbnail(canvas, thumbnail, side, stops) {
  Object.assign(canvas, { width: side, height: side });
  const image = new ImageData(side, side), pixels = new Uint32Array(image.data.buffer);
  const colours = palette(stops, "linear", 1);
  thumbnail.forEach((value, cell) => { pixels[cell] = colours[value * 257]; });
  canvas.getContext("2d").putImageData(image, 0, 0);
}
