// Heads as thumbnails: max-pooled, on a square-root scale, so that single strong cells stay visible.

import { remember } from "../shared/remember.js";
import { paintPixels } from "./canvas.js";
import { headDifferences } from "./comparison/thumbnails.js";
import { paintDifference } from "./heatmap_image.js";
import { ramp } from "./scales.js";
import { sidesOf } from "./units.js";

const COARSE = 36; // cells per side: thumbnails up to this size are drawn with sharp edges
const SLIMMEST = 0.5; // height over width of a thumbnail, or the other way round

/**
 * `paint(state, derived)` of heads `{ layer, head, canvas }`: their weights or, compared, their differences to the
 * reference. Returns `{ differences, largest }`: the differences by `layer.head`, or null; and the largest of the colour
 * scale that heads share.
 */
export function createThumbnails(context, heads) {
  const { theme, store } = context, differencesOf = remember(headDifferences);

  /** highest: the largest weight in the colour scale that heads share. */
  function paintWeights({ grid: [rows, columns], peaks, thumbnail, kind }, sharedScale, highest) {
    const isCausal = kind === "causal";
    heads.forEach(({ layer, head, canvas }) => {
      const scale = sharedScale ? Math.sqrt(peaks[layer][head] / (highest || 1)) : 1; // thumbnails hold square roots already
      const colours = ramp(theme.sequential, (position) => position * scale, 256);
      paintPixels(canvas, columns, rows, (pixels) => {
        thumbnail(layer, head).forEach((value, cell) => { pixels[cell] = colours[value]; });
        if (isCausal) clearLater(pixels, rows);
      });
    });
  }

  /** Differences are missing for heads whose weights are not here. */
  function paintDifferences(differences, sharedScale, scale) {
    const largest = Math.max(0, ...[...differences.values()].map((map) => map.largest));
    heads.forEach(({ layer, head, canvas }) => {
      const map = differences.get(`${layer}.${head}`);
      if (map) paintDifference(canvas, sharedScale ? { ...map, largest } : map, theme, scale);
      else canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
    });
    return largest;
  }

  const paint = remember((input, sharedScale, highest, differences, scale) => {
    heads.forEach(({ canvas }) => shape(canvas, input));
    if (differences) return { differences, largest: paintDifferences(differences, sharedScale, scale) };
    paintWeights(input, sharedScale, highest);
    return { differences: null, largest: highest };
  });

  return {
    paint(state, derived) {
      const differences = derived.difference
        && differencesOf(context.input, derived.difference.input, state.referenceHeads);
      const highest = derived.highestPeak ?? highestPeak(context.input);
      return paint(context.input, state.sharedScale, highest, differences, differences && state.scale);
    },
    /** A click on a thumbnail: selects its head; with Shift, Ctrl or Cmd adds or removes it. */
    pick(event, { layer, head }) {
      const add = event.shiftKey || event.ctrlKey || event.metaKey;
      store.set({ heads: add ? toggleHead(store.get().heads, layer, head) : [[layer, head]] });
    },
  };
}

/** The largest weight of any head. */
export const highestPeak = ({ peaks }) => Math.max(...peaks.flat());

/** Gives a thumbnail the proportions of its attention; few cells have sharp edges. */
function shape(canvas, input) {
  const { query, key } = sidesOf(input), ratio = key.tokens / query.tokens;
  canvas.style.aspectRatio = String(Math.min(Math.max(ratio, SLIMMEST), 1 / SLIMMEST));
  canvas.classList.toggle("coarse", Math.max(...input.grid) <= COARSE);
  canvas.classList.toggle("unreachable", input.kind === "causal");
}

/** Makes what cannot be attended to transparent: the style sheet hatches it. */
function clearLater(pixels, side) {
  for (let row = 0; row < side; row++) pixels.fill(0, row * side + row + 1, (row + 1) * side);
}

/** The heads with a head added or removed; at least one remains. */
function toggleHead(heads, layer, head) {
  const others = heads.filter(([l, h]) => l !== layer || h !== head);
  return others.length === heads.length ? [...heads, [layer, head]] : others.length ? others : heads;
}
