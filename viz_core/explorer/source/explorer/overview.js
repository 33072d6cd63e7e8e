// Every head of every layer as a thumbnail: max-pooled, on a square-root scale, so that single strong cells stay
// visible.

import { createChangeDetector } from "../shared/change_detector.js";
import { el } from "../shared/dom.js";
import { paintPixels } from "./canvas.js";
import { createDifferenceLegend } from "./comparison/legend.js";
import { remember } from "./comparison/remember.js";
import { arePooled, headDifferences } from "./comparison/thumbnails.js";
import { createFinder } from "./find_heads.js";
import { paintDifference } from "./heatmap_image.js";
import { chooser, panel } from "./panel.js";
import { ramp } from "./scales.js";
import { headsOf } from "./selection.js";
import { sidesOf } from "./units.js";

const COARSE = 36; // cells per side: thumbnails up to this size are drawn with sharp edges
const SLIMMEST = 0.5; // height over width of a thumbnail, or the other way round

export function createOverview(context) {
  const { say, store, theme, prefetch } = context, { layers, heads } = context.input;
  const finder = createFinder(context);
  const colours = chooser(say("colour_scale"), { true: say("colour_scale_shared"), false: say("colour_scale_each") },
    (value) => store.set({ sharedScale: value === "true" }));
  const grid = el("div", { class: "heads", role: "group", "aria-label": say("overview") });
  const { element, note } = panel(context, "overview", grid, finder.element);
  const legend = createDifferenceLegend(context), differencesOf = remember(headDifferences);
  element.append(el("div", { class: "below" }, colours.element), legend.element);
  const squares = headsOf(null, null, context.input).map(([layer, head]) => createSquare(layer, head));
  const margins = [
    createMargin(say("all_heads"), null, null),
    ...headsOf(0, null, context.input).map(([, head]) => createMargin(String(head + 1), null, head)),
    ...headsOf(null, 0, context.input).map(([layer]) => createMargin(String(layer + 1), layer, null)),
  ];
  const isNew = createChangeDetector();
  let ranking = null; // of find_heads.js, or null: by layer and head

  function noteOfDifferences(differences) {
    if (differences.size < squares.length) return "overview_note_too_long";
    return arePooled(context.input, store.get().reference) ? "overview_note_change_pooled" : "overview_note_change";
  }

  function createSquare(layer, head) {
    const canvas = el("canvas");
    const caption = el("span", { class: "caption" });
    const select = (event) => {
      const add = event.shiftKey || event.ctrlKey || event.metaKey;
      store.set({ heads: add ? toggleHead(store.get().heads, layer, head) : [[layer, head]] });
    };
    const element = el("button", { type: "button", class: "head", onclick: select,
      onpointerenter: () => prefetch([[layer, head]]) }, canvas, caption);
    return { layer, head, canvas, caption, element };
  }

  function createMargin(label, layer, head) {
    const title = say(layer !== null ? "mean_of_layer" : head !== null ? "mean_of_head" : "mean_of_all",
      { layer: (layer ?? 0) + 1, head: (head ?? 0) + 1 });
    return el("button", { type: "button", class: "margin", title, "aria-label": title,
      onclick: () => store.set({ heads: headsOf(layer, head, context.input) }) }, label);
  }

  function description(layer, head) {
    const { statistics, kind } = context.input, numbers = Object.fromEntries(Object.entries(statistics).map((
      [name, values]) => [name, values[layer][head].toFixed(name === "distance" ? 1 : 2)]));
    const sentence = kind && kind !== "self" ? `head_described_${kind}` : "head_described";
    return say(sentence, { layer: layer + 1, head: head + 1, ...numbers });
  }

  /** Thumbnails of the weights; highest: the largest weight in the colour scale that heads share. */
  function paintWeights(sharedScale, highest) {
    const { grid: [rows, columns], peaks, thumbnail, kind } = context.input, isCausal = kind === "causal";
    squares.forEach((square) => {
      const { layer, head, canvas } = square, peak = peaks[layer][head];
      const scale = sharedScale ? Math.sqrt(peak / (highest || 1)) : 1; // thumbnails hold square roots already
      const colours = ramp(theme.sequential, (position) => position * scale, 256);
      paintPixels(canvas, columns, rows, (pixels) => {
        thumbnail(layer, head).forEach((value, cell) => { pixels[cell] = colours[value]; });
        if (isCausal) clearLater(pixels, rows);
      });
      describe(square, description(layer, head));
    });
  }

  /** Thumbnails of the differences to the reference; empty for heads whose weights are not here. */
  function paintDifferences(differences, sharedScale, scale) {
    const highest = Math.max(0, ...[...differences.values()].map(({ largest }) => largest));
    squares.forEach((square) => {
      const { layer, head, canvas } = square, map = differences.get(`${layer}.${head}`);
      describe(square, description(layer, head) + (map ? ` ${say("head_change", { mean: map.mean.toFixed(4) })}` : ""));
      if (map) paintDifference(canvas, sharedScale ? { ...map, largest: highest } : map, theme, scale);
      else canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
    });
    legend.element.hidden = !sharedScale;
    legend.show(highest, scale);
  }

  function describe({ element }, text) {
    element.title = text;
    element.setAttribute("aria-label", text);
  }

  /** One row per layer, with margins; or by their rank, from the largest value down. */
  function arrange() {
    grid.classList.toggle("sorted", Boolean(ranking));
    grid.style.setProperty("--columns", heads);
    grid.style.setProperty("--rows", layers);
    squares.forEach(({ layer, head, caption }) => caption.replaceChildren(...(ranking?.captionOf(layer, head) ?? [])));
    const elements = (list) => list.map(({ element }) => element);
    const value = ({ layer, head }) => ranking.valueOf(layer, head);
    if (ranking) return grid.replaceChildren(...elements(squares.toSorted((a, b) => value(b) - value(a))));
    const rows = headsOf(null, 0, context.input).flatMap(([layer]) => [
      margins[1 + heads + layer], ...elements(squares.filter((square) => square.layer === layer))]);
    grid.replaceChildren(...margins.slice(0, 1 + heads), ...rows);
  }

  /** Differences have a note of their own, unless heads are ranked. */
  function noteOf(state, derived, differences) {
    return differences && !ranking ? say(noteOfDifferences(differences)) : finder.note(state, derived);
  }

  /** Arrow keys: the neighbour in the grid, or in the sorted order. */
  element.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step || event.target.tagName === "SELECT") return;
    event.preventDefault();
    const [layer, head] = store.get().heads[0];
    if (!ranking) {
      const next = [layer + step[0], head + step[1]];
      if (next[0] in context.input.peaks && next[1] in context.input.peaks[0]) store.set({ heads: [next] });
    } else {
      const elements = [...grid.children];
      const selected = squares.find((square) => square.layer === layer && square.head === head).element;
      const neighbour = elements[elements.indexOf(selected) + step[0] + step[1]];
      const next = squares.find((square) => square.element === neighbour);
      if (next) store.set({ heads: [[next.layer, next.head]] });
    }
  });

  return {
    element,
    draw(state, derived, changed) {
      const differences = derived.difference && differencesOf(context.input, state.reference, state.referenceHeads);
      const highest = derived.highestPeak ?? highestPeak(context.input);
      if (isNew("paint", context.input, state.sharedScale, differences, differences && state.scale, highest)) {
        legend.element.hidden = true;
        squares.forEach(({ canvas }) => shape(canvas, context.input));
        if (differences) paintDifferences(differences, state.sharedScale, state.scale);
        else paintWeights(state.sharedScale, highest);
      }
      ranking = finder.rank(state, derived);
      if (isNew("ranking", ranking)) arrange();
      const sentence = noteOf(state, derived, differences);
      if (isNew("note", sentence)) note.textContent = sentence;
      if (isNew("criteria", state.order, context.input)) finder.draw(state);
      if (!changed.has("heads") && !changed.has("sharedScale") && !changed.has("order")) return;
      colours.show(String(state.sharedScale));
      const hasFocus = grid.contains(grid.getRootNode().activeElement);
      squares.forEach(({ layer, head, element: square }) => {
        const index = state.heads.findIndex(([l, h]) => l === layer && h === head);
        square.setAttribute("aria-pressed", String(index >= 0));
        square.tabIndex = index === 0 ? 0 : -1;
        square.style.setProperty("--mark", index < 0 ? "transparent" : context.colourOfHead(index));
        if (index === 0 && hasFocus) square.focus({ preventScroll: true });
      });
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
