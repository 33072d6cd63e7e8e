// Heads as thumbnails: max-pooled, so that single strong cells stay visible.

import { remember } from "../shared/remember.js";
import { paintPixels } from "./canvas.js";
import { headDifferences } from "./comparison/thumbnails.js";
import { paintDifference } from "./heatmap_image.js";
import { darkestOf, thumbnailColours } from "./scales.js";
import { sidesOf } from "./units.js";

const COARSE = 36; // cells per side: thumbnails up to this size are drawn with sharp edges
const SLIMMEST = 0.5; // height over width of a thumbnail, or the other way round

/**
 * `paint(state, derived)` of heads `{ layer, head, canvas }`: their weights or, compared, their differences to the
 * reference. Returns `{ differences, largest }`: the differences by `layer.head`, or null; and the largest of them.
 */
export function createThumbnails(context, heads) {
  const { theme, store } = context, differencesOf = remember(headDifferences);

  function paintWeights(input, limit, scale, tokens) {
    const { grid: [rows, columns], peaks, thumbnail, kind } = input, isCausal = kind === "causal";
    heads.forEach(({ layer, head, canvas }) => {
      const peak = peaks[layer][head];
      const colours = thumbnailColours(theme.sequential, scale, peak, darkestOf({ limit }, input, tokens, peak));
      paintPixels(canvas, columns, rows, (pixels) => {
        thumbnail(layer, head).forEach((value, cell) => { pixels[cell] = colours[value]; });
        if (isCausal) clearLater(pixels, rows);
      });
    });
  }

  /** Differences are missing for heads whose weights are not here. */
  function paintDifferences(differences, limit, scale) {
    const largest = Math.max(0, ...[...differences.values()].map((map) => map.largest));
    heads.forEach(({ layer, head, canvas }) => {
      const map = differences.get(`${layer}.${head}`);
      if (map) paintDifference(canvas, limit === "own" ? map : { ...map, largest }, theme, scale);
      else canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
    });
    return largest;
  }

  const paint = remember((input, limit, differences, scale, tokens) => {
    heads.forEach(({ canvas }) => shape(canvas, input));
    if (differences) return { differences, largest: paintDifferences(differences, limit, scale) };
    paintWeights(input, limit, scale, tokens);
    return { differences: null, largest: 0 };
  });

  return {
    paint(state, derived) {
      const differences = derived.difference
        && differencesOf(context.input, derived.difference.input, state.referenceHeads);
      return paint(context.input, state.limit, differences, state.scale, derived.tokens);
    },
    /** A click on a thumbnail: selects its head; with Shift, Ctrl or Cmd adds or removes it. */
    pick(event, { layer, head }) {
      const add = event.shiftKey || event.ctrlKey || event.metaKey;
      store.set({ heads: add ? toggleHead(store.get().heads, layer, head) : [[layer, head]] });
    },
  };
}

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
