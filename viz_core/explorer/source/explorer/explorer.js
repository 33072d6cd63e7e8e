// The explorer: one selection, five views of it. Everything that is drawn is drawn here, from weights that are here.

import { createStore } from "../shared/store.js";
import { applyTheme } from "../shared/theme.js";
import { translator } from "../shared/translator.js";
import { attentionMap, axesOf, received, weightsOfUnit } from "./attention.js";
import { createDistribution } from "./distribution.js";
import { createHeatmap } from "./heatmap.js";
import { listenToKeys } from "./keyboard.js";
import { createLayout } from "./layout.js";
import { createLinks } from "./links.js";
import { APART, createMatrices } from "./matrices.js";
import { createOverview } from "./overview.js";
import { createReading } from "./reading.js";
import { FRESH, fromLink } from "./selection.js";
import { createText } from "./text.js";
import { createToolbar } from "./toolbar.js";
import { unitsOf } from "./units.js";

const VIEWS = { overview: createOverview, heatmap: createHeatmap, text: createText, links: createLinks,
  distribution: createDistribution };
// What each part of the state changes in what is shown; anything else only changes how it is drawn.
const CUTS = ["heads", "unit", "special", "block", "weights"];

/**
 * Draws the input into `root` and returns the explorer: `close()`, and `selection()` for the next one in its place.
 * selection: what to begin with; changed(state): called after each change, for the link.
 */
export function openExplorer(root, input, selection, changed = () => {}) {
  const say = translator(input.catalogue);
  const matrices = createMatrices(input, () => store.touch("weights"), () => store.set({ failed: true }));
  let shown = { units: null, map: null };
  const store = createStore({ ...FRESH, ...fromLink(input.selection, input), ...selection }, draw);
  const colourOfHead = (index) => {
    const several = store.get().heads.length;
    return several > 1 && several <= APART ? input.theme.heads[index] : input.theme.accent;
  };
  const context = { input, say, store, want: matrices.want, colourOfHead };
  const parts = { toolbar: createToolbar(context), reading: createReading(context) };
  for (const [name, create] of Object.entries(VIEWS)) parts[name] = create(context);
  applyTheme(root, input.theme);
  const layout = createLayout(Object.fromEntries(Object.keys(VIEWS).map((name) => [name, parts[name].element])));
  root.replaceChildren(parts.toolbar.element, parts.reading.element, layout.element);
  root.lang = input.language;
  const stopListening = listenToKeys(root, context);
  const sizes = new ResizeObserver(() => store.touch("size"));
  sizes.observe(root);
  let resting = 0, seen = new Set();

  function draw(state, names) {
    if (names.has("heads") && state.failed) store.set({ failed: false });
    if (CUTS.some((name) => names.has(name))) cut(state);
    shown = { ...shown, ...chosen(state, shown) };
    root.dataset.exact = String(shown.map !== null);
    layout.arrange(root.clientWidth / input.theme.text, state.views);
    const everything = new Set([...Object.keys(state), "size", "weights"]);
    for (const [name, part] of Object.entries(parts)) {
      if (!(name in VIEWS)) part.draw(state, shown, names);
      else if (state.views.includes(name)) part.draw(state, shown, seen.has(name) ? names : everything);
    }
    seen = new Set(state.views); // a view that was hidden has missed what changed meanwhile
    if (!shown.map && !state.failed) matrices.want(state.heads);
    root.dataset.drawn = input.id;
    clearTimeout(resting);
    resting = setTimeout(() => changed(state), 500);
  }

  /** The map of the chosen heads, and of each of them; the map is null until its weights have come. */
  function cut({ heads, unit, special, block }) {
    const units = unit === shown.unit ? shown.units : unitsOf(input, unit), weights = matrices.weights(heads);
    const map = weights && attentionMap(weights, units, special, block);
    let each = map ? [map] : [];
    if (map && heads.length > 1 && heads.length <= APART) {
      each = heads.map((one) => attentionMap(matrices.weights([one]), units, special, block));
    }
    shown = { ...shown, unit, units, axes: axesOf(units, special, block), map, each };
  }

  /** The selected query and key as units, and the weight of every unit as seen from the query. */
  function chosen({ query, key, direction }, { units, map }) {
    const unit = (token) => (token === null ? null : units.of[token]);
    const weights = !map ? null : query === null ? received(map, units) : weightsOfUnit(map, unit(query), direction, units);
    return { query: unit(query), key: unit(key), weights };
  }

  store.touch(...CUTS);
  return {
    selection: store.get,
    close() {
      stopListening();
      sizes.disconnect();
      store.close();
      clearTimeout(resting);
    },
  };
}
