// Names above the dots of a scatter, where they cover neither each other, another dot nor the name of the cross.

const LATIN = 0.56, WIDE = 1, LINE = 1.2; // of the font size
const isWide = (character) => character > "\u2e7f"; // Chinese characters and what stands with them

/** About how wide a text is, in px. */
export const widthOf = (text, size) => size * [...text].reduce((sum, character) => sum + (isWide(character) ? WIDE : LATIN), 0);

/** Where the middle of a text is that belongs over `x` and stays within `width` px. */
export const centreOf = (x, text, size, width) => (
  Math.max(Math.min(x, width - widthOf(text, size) / 2), widthOf(text, size) / 2));

/** @typedef {{ x: number, y: number, width: number }} Label x: of its middle; y: of the dot that it stands above; px */

/** Whether one label covers another. */
export const collide = (/** @type {Label} */ one, /** @type {Label} */ other, size) => (
  Math.abs(one.x - other.x) < (one.width + other.width) / 2 && Math.abs(one.y - other.y) < LINE * size);

/**
 * Which names are drawn.
 *
 * @param {string[]} names
 * @param {[x: number, y: number][]} places of the dots in px, y downwards
 * @param {number} size of the font, px
 * @param {number[]} first the names that have priority, by their index
 * @param {number} width of the plot, px
 * @param {Label[]} taken labels that are drawn anyway
 * @returns {Set<number>}
 */
export function fitting(names, places, size, first, width, taken = []) {
  const /** @type {number[]} */ kept = [], labels = [...taken];
  const widths = names.map((name) => widthOf(name, size));
  const centres = names.map((name, index) => centreOf(places[index][0], name, size, width));
  for (const index of new Set([...first, ...names.keys()])) {
    const label = { x: centres[index], y: places[index][1], width: widths[index] };
    const isCrowded = labels.some((other) => collide(label, other, size));
    const covers = places.some(([across, down], other) => other !== index && Math.abs(across - label.x) < label.width / 2
      && label.y - down > 0 && label.y - down < 2 * LINE * size);
    if (isCrowded || covers) continue;
    kept.push(index);
    labels.push(label);
  }
  return new Set(kept);
}
