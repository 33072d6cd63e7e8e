// The statistics of the heads, and what they look like: as numbers, along an axis, and as colours. N heads, layer by layer.

/** @import { Atlas } from "../shared/records.js" */

import { colourAt, inkAt } from "../shared/colours.js";
import { headLabel } from "../shared/names.js";
import { hueOfClass } from "../shared/theme.js";

export const GROUP = "group"; // the only measure that is a colour alone: which heads have similar attention
const MARGIN = 0.08; // of the range of an axis, on both sides
const LEAST_RANGE = 0.05; // of an axis: smaller differences are not spread over the whole plot
const MOST_TICKS = 6;
const LEAST_CHANGE = 1e-4; // of the loss: smaller changes stay pale

/** The atlas of the packed bytes (viz_core/explorer/atlas.py). @returns {Atlas} */
export function readAtlas(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true), start = 4 + length;
  return { ...JSON.parse(new TextDecoder().decode(bytes.subarray(4, start))), thumbnails: bytes.subarray(start) };
}

/** A head by its number: `2.4`, with its given name, if any. */
export const labelOf = (atlas, index) => headLabel(atlas, Math.floor(index / atlas.heads), index % atlas.heads);

/** A value as people read it: a share in percent, tokens, or a signed change of the loss. */
export function write(unit, value, digits = 0) {
  if (unit === "share") return `${(100 * value).toFixed(digits)}%`;
  if (unit === "tokens") return value.toFixed(1);
  const text = Math.abs(value).toFixed(4);
  return Number(text) === 0 ? text : `${value < 0 ? "−" : "+"}${text}`;
}

/** The name of a group, counted from 0: A, B, … */
export const groupName = (number) => String.fromCharCode(65 + (number % 26));

/**
 * How a measure colours the heads: `fill(index)` and `ink(index)` on it, `text(index)`; `stops` and `marks`,
 * `[position, text]`, of its scale, which groups have not.
 *
 * @param {Atlas} atlas
 * @param {string} name
 */
export function colouring(atlas, name) {
  const { theme, groups } = atlas;
  if (name === GROUP) {
    const isAlone = (index) => groups[index] < 0;
    return {
      fill: (index) => (isAlone(index) ? "var(--background)" : hueOfClass(groups[index])),
      ink: (index) => (isAlone(index) ? "var(--muted)" : inkOfClass(theme, groups[index])),
      text: (index) => (isAlone(index) ? "" : groupName(groups[index])),
      stops: null, marks: [],
    };
  }
  const { unit, values } = atlas.measures[name], stops = unit === "change" ? theme.diverging.toReversed() : theme.sequential;
  const [low, high] = endsOf(unit, values), position = (index) => (values[index] - low) / (high - low);
  return {
    fill: (index) => colourAt(stops, position(index)),
    ink: (index) => inkAt(stops, position(index)),
    text: (index) => write(unit, values[index]),
    stops, marks: [[0, write(unit, low)], [0.5, write(unit, (low + high) / 2)], [1, write(unit, high)]],
  };
}

const inkOfClass = ({ categories }, group) => inkAt([categories[group % categories.length], categories[group % categories.length]], 0);

/** Ends of a colour scale: shares from 0 to 1, tokens from 0 to the largest, changes around 0. */
function endsOf(unit, values) {
  if (unit === "share") return [0, 1];
  if (unit === "tokens") return [0, Math.max(1, ...values)];
  const largest = Math.max(LEAST_CHANGE, ...values.map(Math.abs));
  return [-largest, largest];
}

/** Ends of an axis with all values; not far below 0 if none of them is. @returns {[low: number, high: number]} */
export function rangeOf(values) {
  const low = Math.min(...values), high = Math.max(...values);
  const length = Math.max((high - low) * (1 + 2 * MARGIN), LEAST_RANGE), start = (low + high - length) / 2;
  const first = low >= 0 ? Math.max(start, -MARGIN * length) : start;
  return [first, first + length];
}

/** Round numbers within a range, a few. */
export function ticksOf([low, high]) {
  const power = 10 ** Math.floor(Math.log10((high - low) / MOST_TICKS));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((width) => (high - low) / width <= MOST_TICKS) ?? 10 * power;
  const first = Math.ceil(low / step - 1e-9), count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, index) => (first + index) * step);
}
