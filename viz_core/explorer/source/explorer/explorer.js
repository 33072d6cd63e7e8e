// The explorer: five views of one shared selection, drawn entirely in the browser, alone or beside a reference.

/** @import { createHistory } from "./comparison/history.js" */
/** @import { Derived, Effects, Head, Input, Question, State } from "../shared/records.js" */

import { remember, same } from "../shared/remember.js";
import { createStore } from "../shared/store.js";
import { presentedTheme } from "../shared/full_window.js";
import { applyTheme } from "../shared/theme.js";
import { translator } from "../shared/translator.js";
import { createBar } from "./comparison/bar.js";
import { createComparison } from "./comparison/comparison.js";
import { createDerivation } from "./derivation.js";
import { createDistribution } from "./distribution.js";
import { createHeatmap } from "./heatmap.js";
import { listenToKeys } from "./keyboard.js";
import { NOWHERE, placesOf, selectionAt } from "./kinds.js";
import { createLayout } from "./layout.js";
import { createLinks } from "./links.js";
import { createMatrices, MAX_SEPARATE } from "./matrices.js";
import { createMatters } from "./matters.js";
import { measuredWording, ofMeasure } from "./measures.js";
import { createOverview } from "./overview.js";
import { createPresentation, viewsShown } from "./presentation.js";
import { createReading } from "./reading.js";
import { DEFAULTS, fromLink, NARROW_VIEWS } from "./selection.js";
import { createStrip } from "./strip.js";
import { createText } from "./text.js";
import { createToolbar } from "./toolbar.js";

// In the order of drawing. Canvases last: to set a font on one, the browser lays out all that has changed before.
const VIEWS = { overview: createOverview, text: createText, distribution: createDistribution, heatmap: createHeatmap,
  links: createLinks };

/**
 * Opens an explorer in `root` and returns it: `show(input, selection)` draws another input of the same model, language
 * and theme in the same elements; `compare(reference)`; `select(part)` of the state; `selection()`, the state; `input()`; `close()`. selection: initial state,
 * or what changes of it; onchange(state, input): called after changes, to update the link. visit: what is known beyond the
 * inputs, all optional: `history` (comparison/history.js) and `open(input)`, which shows one of its inputs;
 * `stepExample(step)`, which shows another example; `inside()`, which follows how the selected weight came about;
 * `corpus()`, which opens the page of the selected head; `tested`, `test` and `openTest`, of matters.js.
 *
 * @param {HTMLElement} root
 * @param {Input} first
 * @param {Partial<State>} selection
 * @param {(state: State, input: Input) => void} [onchange]
 * @param {{ history?: ReturnType<typeof createHistory>, open?: (input: Input) => void, stepExample?: (step: number) => void,
 *   inside?: () => void, corpus?: () => void, isCompact?: boolean, openTest?: (changes: { heads?: Head[], tokens?: number[] }) => void,
 *   tested?: (input: Input, derived: Derived) => string | null, test?: (question: Question, signal: AbortSignal) => Promise<Effects> }} [visit]
 */
export function openExplorer(root, first, selection, onchange = (_state, _input) => {}, visit = {}) {
  let input = first;
  /** @type {ReturnType<typeof createMatrices>} of the input */
  let matrices;
  /** @type {ReturnType<typeof createDerivation>} of the input */
  let derivation;
  let theme = first.theme; // larger in a presentation
  const say = measuredWording(translator(first.catalogue), first.catalogue, () => input);
  const linked = { ...DEFAULTS, ...fromLink(first.selection, first) };
  const store = createStore({ ...linked, ...(isNarrow(root) ? narrowed(linked) : {}), ...selection }, draw);
  const colourIn = (store) => (index) => {
    const several = store.get().heads.length;
    return several > 1 && several <= MAX_SEPARATE ? first.theme.heads[index] : first.theme.accent;
  };
  // input: the one that is shown now; its language and the sizes of its model never change. A view keeps the theme that
  // it was created with.
  const context = { get input() { return input; }, get theme() { return theme; },
    get isPresented() { return Boolean(store.get().present); }, say, store, prefetch: (heads) => matrices.fetchMissing(heads),
    colourOfHead: colourIn(store), visit, showKind, showMeasure };
  const comparison = createComparison(context), bar = createBar(context);
  const parts = { toolbar: createToolbar(context), reading: createReading(context),
    ...(visit.test ? { matters: createMatters(context) } : {}), strip: createStrip(context) };
  const presentation = createPresentation(root, context);
  let views = createViews(context), layout = createLayout(elementsOf(views));
  let size = []; // width of the root and height of the window; measuring while drawing would lay out the page
  applyTheme(root, first.theme);
  root.replaceChildren(parts.toolbar.element, presentation.element, ...bar.elements, parts.reading.element,
    layout.element);
  parts.reading.element.append(parts.strip.element);
  root.lang = first.language;
  const stopListening = listenToKeys(root, context);
  const sizes = new ResizeObserver(measure);
  sizes.observe(root);
  let places = NOWHERE; // what was selected in the sentences of a translation
  /** @type {{ input: Input, views: ReturnType<typeof createViews> } | null} views of the reference */
  let beside = null;
  let timer = 0;

  /** Called between two frames, when sizes are known, or at the start. */
  function measure() {
    const before = String(size);
    size = [root.clientWidth, innerHeight];
    if (String(size) !== before) store.touch();
    // Where it would take half of the screen, it stands below the views and scrolls with them.
    if (parts.matters) isNarrow(root) ? root.append(parts.matters.element) : parts.strip.element.before(parts.matters.element);
    parts.strip.watch(parts.reading.element, { toolbar: parts.toolbar.element, overview: views.overview.element,
      views: layout.element });
  }

  /** What failed for other heads concerns nobody any more. */
  const forget = remember((_heads) => store.set({ failed: false }), store.get().heads);

  function draw(state) {
    forget(state.heads);
    const alone = derivation.derive(state), compared = comparison.update(state, alone);
    const derived = compared?.current ?? alone;
    presentation.draw(state);
    useTheme(context.isPresented, innerWidth, size);
    openBeside(compared);
    root.dataset.exact = String(derived.map !== null);
    root.classList.toggle("beside", Boolean(beside));
    const shown = viewsShown(state, beside);
    const place = [...size, layout.arrange(size[0] / theme.text, shown, beside && elementsOf(beside.views))];
    bar.draw(state, compared);
    for (const part of Object.values(parts)) part.draw(state, derived);
    // In the order of VIEWS. Hidden ones are drawn when they are shown again.
    const drawn = Object.keys(VIEWS).filter((name) => shown.includes(name));
    for (const name of drawn) views[name].draw(state, derived, place);
    if (beside && compared) for (const name of drawn) beside.views[name].draw(compared.state, compared.reference, place);
    if (!derived.map && !state.failed) matrices.fetchMissing(state.heads);
    root.dataset.drawn = input.id;
    clearTimeout(timer);
    timer = setTimeout(() => onchange(state, input), 500);
  }

  /** Creates the views anew if a presentation begins or ends, or its window has another size. */
  const useTheme = remember((isPresented, ..._size) => {
    if (!isPresented && theme === first.theme) return;
    theme = isPresented ? presentedTheme(first.theme, innerWidth, innerHeight) : first.theme;
    applyTheme(root, theme);
    const before = layout.element;
    views = createViews(context);
    layout = createLayout(elementsOf(views));
    before.replaceWith(layout.element);
    beside = null;
  });

  /** Creates the views of the reference if it is shown side by side, and drops them otherwise. */
  function openBeside(compared) {
    if (!compared?.state) beside = null;
    else if (beside?.input !== compared.input) {
      const { input: other, store: mirror, prefetch } = compared;
      const views = createViews({ ...context, input: other, store: mirror, prefetch, colourOfHead: colourIn(mirror),
        isReference: true });
      beside = { input: other, views };
    }
  }

  /** Everything that is computed from an input starts anew; what fails for an earlier one concerns nobody any more. */
  function take(next) {
    input = next;
    matrices = createMatrices(next, store.touch, () => {
      if (input === next) store.set({ failed: true });
    });
    derivation = createDerivation(next, matrices);
    store.touch();
  }

  /** The input as it is measured; with its weights while the norms are fetched. */
  function inMeasure(next) {
    const view = ofMeasure(next, store.get().measure), weights = next.base ?? next;
    if (!(view instanceof Promise)) return view;
    const isCurrent = () => (input.base ?? input) === weights && store.get().measure === "norms";
    view.then(() => { if (isCurrent()) showMeasure("norms"); }, (error) => {
      console.error(error);
      if (isCurrent()) store.set({ measure: "weights", failed: "norms" });
    });
    return weights;
  }

  /** Draws at once: the browser need not wait for a frame to begin before it draws it. */
  function show(next, selection) {
    take(inMeasure(next));
    store.set({ range: null, hover: null, failed: false, ...selection });
    store.flush();
  }

  /** Shows another attention of the translation. */
  function showKind(kind) {
    const { theme, catalogue, language } = input, other = input.ofKind?.(kind);
    if (!other) return;
    places = placesOf(store.get(), input, places);
    show({ ...other, theme, catalogue, language }, selectionAt(places, other));
  }

  /** Shows weights or norms of the same attention; what is selected stays. */
  function showMeasure(name) {
    store.set({ measure: name });
    show(input, { range: store.get().range });
  }

  take(inMeasure(first));
  measure();
  return {
    show(next, selection) {
      places = NOWHERE;
      show(next, selection);
    },
    selection: store.get,
    /** What is shown, also of another kind than was opened. */
    input: () => input,
    /** Compares with a reference, or says why not: a part of the state. */
    compare: store.set,
    select: store.set,
    close() {
      stopListening();
      parts.reading.close();
      parts.matters?.close();
      parts.strip.close();
      presentation.close();
      sizes.disconnect();
      store.close();
      clearTimeout(timer);
    },
  };
}

/** Whether the views stand below one another, as on a phone; the width is that of frame.css. */
const isNarrow = (root) => root.clientWidth < 700;

/** Links in place of the heat map, which would be below the first screen, unless other views are selected. */
const narrowed = ({ views }) => (same(views, DEFAULTS.views) ? { views: NARROW_VIEWS } : {});

const createViews = (context) => (
  Object.fromEntries(Object.entries(VIEWS).map(([name, create]) => [name, create(context)])));

const elementsOf = (views) => Object.fromEntries(Object.entries(views).map(([name, { element }]) => [name, element]));
