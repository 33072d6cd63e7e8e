// A matrix as an image with one pixel per cell, scaled up by the browser.

import { paintPixels } from "./canvas.js";
import { halves, palette, ramp, thumbnailColours } from "./scales.js";

const BLANK = 0.4; // of the way from the theme's surface to its lines, as in comparison.css

/** Paints the weights of a map onto `canvas`. darkest: the weight of the last stop. */
export function paintWeights(canvas, map, stops, scale, darkest) {
  const colours = palette(stops, scale, darkest), steps = (colours.length - 1) / darkest;
  paintPixels(canvas, map.keys.length, map.queries.length, (pixels) => {
    for (let cell = 0; cell < pixels.length; cell++) {
      pixels[cell] = colours[Math.min((map.weights[cell] * steps + 0.5) | 0, colours.length - 1)];
    }
  });
}

/** Paints a difference (comparison/difference.js): blue above 0, orange below, grey where nothing can be compared. */
export function paintDifference(canvas, map, theme, scale) {
  const largest = map.largest || 1, blank = ramp([theme.surface, theme.line], () => BLANK, 1)[0];
  const [less, more] = halves(theme.diverging).map((stops) => palette(stops, scale, largest));
  const steps = (more.length - 1) / largest;
  paintPixels(canvas, map.keys.length, map.queries.length, (pixels) => {
    for (let cell = 0; cell < pixels.length; cell++) {
      const value = map.weights[cell];
      if (Number.isNaN(value)) pixels[cell] = blank;
      else pixels[cell] = value < 0 ? less[(-value * steps + 0.5) | 0] : more[(value * steps + 0.5) | 0];
    }
  });
}

/** Paints the thumbnail of a head while its exact weights are being fetched. peak: the largest of them. */
export function paintThumbnail(canvas, thumbnail, [rows, columns], stops, scale, peak, darkest) {
  const colours = thumbnailColours(stops, scale, peak, darkest);
  paintPixels(canvas, columns, rows, (pixels) => {
    thumbnail.forEach((value, cell) => { pixels[cell] = colours[value]; });
  });
}
