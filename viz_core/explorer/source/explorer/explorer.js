// The explorer: five views of one shared selection, drawn entirely in the browser.

import { createStore } from "../shared/store.js";
import { applyTheme } from "../shared/theme.js";
import { translator } from "../shared/translator.js";
import { attentionMap, axesOf, receivedWeights, weightsOfUnit } from "./attention.js";
import { createDistribution } from "./distribution.js";
import { createHeatmap } from "./heatmap.js";
import { listenToKeys } from "./keyboard.js";
import { createLayout } from "./layout.js";
import { createLinks } from "./links.js";
import { createMatrices, MAX_SEPARATE } from "./matrices.js";
import { createOverview } from "./overview.js";
import { createReading } from "./reading.js";
import { DEFAULTS, fromLink } from "./selection.js";
import { createText } from "./text.js";
import { createToolbar } from "./toolbar.js";
import { unitsOf } from "./units.js";

const VIEWS = { overview: createOverview, heatmap: createHeatmap, text: createText, links: createLinks,
  distribution: createDistribution };
// Parts of the state that change which weights are shown; all others only change how they are drawn.
const DATA = ["heads", "unit", "special", "block", "weights"];

/**
 * Draws the input into `root` and returns the explorer: `close()`, and `selection()`, the state to pass to its
 * successor. selection: initial state; onchange(state): called after changes, to update the link.
 */
export function openExplorer(root, input, selection, onchange = () => {}) {
  const say = translator(input.catalogue);
  const matrices = createMatrices(input, () => store.touch("weights"), () => store.set({ failed: true }));
  let derived = { units: null, map: null }; // everything that the views draw, computed from the state
  const store = createStore({ ...DEFAULTS, ...fromLink(input.selection, input), ...selection }, draw);
  const colourOfHead = (index) => {
    const several = store.get().heads.length;
    return several > 1 && several <= MAX_SEPARATE ? input.theme.heads[index] : input.theme.accent;
  };
  const context = { input, say, store, prefetch: matrices.fetchMissing, colourOfHead };
  const parts = { toolbar: createToolbar(context), reading: createReading(context) };
  for (const [name, create] of Object.entries(VIEWS)) parts[name] = create(context);
  applyTheme(root, input.theme);
  const layout = createLayout(Object.fromEntries(Object.keys(VIEWS).map((name) => [name, parts[name].element])));
  root.replaceChildren(parts.toolbar.element, parts.reading.element, layout.element);
  root.lang = input.language;
  const stopListening = listenToKeys(root, context);
  const sizes = new ResizeObserver(() => store.touch("size"));
  sizes.observe(root);
  let timer = 0, visible = new Set();

  function draw(state, names) {
    if (names.has("heads") && state.failed) store.set({ failed: false });
    if (DATA.some((name) => names.has(name))) updateMaps(state);
    derived = { ...derived, ...selectUnits(state, derived) };
    root.dataset.exact = String(derived.map !== null);
    layout.arrange(root.clientWidth / input.theme.text, state.views);
    const everything = new Set([...Object.keys(state), "size", "weights"]);
    for (const [name, part] of Object.entries(parts)) {
      if (!(name in VIEWS)) part.draw(state, derived, names);
      else if (state.views.includes(name)) part.draw(state, derived, visible.has(name) ? names : everything);
    }
    visible = new Set(state.views); // a view that was hidden has missed changes
    if (!derived.map && !state.failed) matrices.fetchMissing(state.heads);
    root.dataset.drawn = input.id;
    clearTimeout(timer);
    timer = setTimeout(() => onchange(state), 500);
  }

  /** The mean map of the selected heads and the map of each; null and empty until their weights have arrived. */
  function updateMaps({ heads, unit, special, block }) {
    const units = unit === derived.unit ? derived.units : unitsOf(input, unit), weights = matrices.weights(heads);
    const map = weights && attentionMap(weights, units, special, block);
    let maps = map ? [map] : [];
    if (map && heads.length > 1 && heads.length <= MAX_SEPARATE) {
      maps = heads.map((head) => attentionMap(matrices.weights([head]), units, special, block));
    }
    derived = { ...derived, unit, units, axes: axesOf(units, special, block), map, maps };
  }

  /** The selected query and key as units, and each unit's weight: from or to the query, or received on average. */
  function selectUnits({ query, key, direction }, { units, map }) {
    const unit = (token) => (token === null ? null : units.of[token]);
    let weights = null;
    if (map) weights = query === null ? receivedWeights(map, units) : weightsOfUnit(map, unit(query), direction, units);
    return { query: unit(query), key: unit(key), weights };
  }

  store.touch(...DATA);
  return {
    selection: store.get,
    close() {
      stopListening();
      sizes.disconnect();
      store.close();
      clearTimeout(timer);
    },
  };
}
