// Names above the dots of a scatter, where they cover neither each other nor another dot.

const LATIN = 0.56, WIDE = 1; // of the font size
const isWide = (character) => character > "\u2e7f"; // Chinese characters and what stands with them

/** About how wide a text is, in px. */
export const widthOf = (text, size) => size * [...text].reduce((sum, character) => sum + (isWide(character) ? WIDE : LATIN), 0);

/** Where the middle of a text is that belongs over `x` and stays within `width` px. */
export const centreOf = (x, text, size, width) => (
  Math.max(Math.min(x, width - widthOf(text, size) / 2), widthOf(text, size) / 2));

/**
 * Which names are drawn.
 *
 * @param {string[]} names
 * @param {[x: number, y: number][]} places of the dots in px, y downwards
 * @param {number} size of the font, px
 * @param {number[]} first the names that have priority, by their index
 * @param {number} width of the plot, px
 * @returns {Set<number>}
 */
export function fitting(names, places, size, first, width) {
  const height = 1.2 * size, /** @type {number[]} */ kept = [];
  const widths = names.map((name) => widthOf(name, size));
  const centres = names.map((name, index) => centreOf(places[index][0], name, size, width));
  for (const index of new Set([...first, ...names.keys()])) {
    const x = centres[index], y = places[index][1];
    const isCrowded = kept.some((other) => Math.abs(centres[other] - x) < (widths[index] + widths[other]) / 2
      && Math.abs(places[other][1] - y) < height);
    const covers = places.some(([across, down], other) => other !== index && Math.abs(across - x) < widths[index] / 2
      && y - down > 0 && y - down < 2 * height);
    if (!isCrowded && !covers) kept.push(index);
  }
  return new Set(kept);
}
