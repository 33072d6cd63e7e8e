// Every head of every layer as a thumbnail.

/** @import { DifferenceMap } from "../shared/records.js" */

import { el } from "../shared/dom.js";
import { afterName } from "../shared/names.js";
import { remember } from "../shared/remember.js";
import { joinTexts } from "../shared/translator.js";
import { createDifferenceLegend } from "./comparison/legend.js";
import { arePooled } from "./comparison/thumbnails.js";
import { createFinder } from "./find_heads.js";
import { panel } from "./panel.js";
import { headsOf } from "./selection.js";
import { createThumbnails } from "./thumbnails.js";

const NAMED = 6; // with more heads, numbers alone stand beside rows and columns
const WIDE = 1.7; // columns of ranked heads per row, which have two lines of numbers below

export function createOverview(context) {
  const { say, store, prefetch } = context, { layers, heads } = context.input;
  const finder = createFinder(context);
  const grid = el("div", { class: "heads", role: "group", "aria-label": say("overview") });
  const { element, note } = panel(context, "overview", grid, finder.element);
  const legend = createDifferenceLegend(context);
  element.append(legend.element);
  const squares = headsOf(null, null, context.input).map(([layer, head]) => createSquare(layer, head));
  const thumbnails = createThumbnails(context, squares);
  const margins = [
    createMargin([say("all_heads")], null, null),
    ...headsOf(0, null, context.input).map(([, head]) => createMargin(namesOf("head", head), null, head)),
    ...headsOf(null, 0, context.input).map(([layer]) => createMargin(namesOf("layer", layer), layer, null)),
  ];
  const uniformCaption = el("span", { class: "caption" });
  const uniform = el("div", { class: "uniform" }, el("i"), uniformCaption); // stands among the ranked heads
  const across = Math.ceil(Math.sqrt(WIDE * (squares.length + 1))); // ranked heads in a row of a presentation
  /** @type {ReturnType<typeof finder.rank>} none: by layer and head */
  let ranking = null;
  /** @type {Map<string, DifferenceMap> | null} of the heads to the reference */
  let differences = null;

  function noteOfDifferences(differences) {
    if (differences.size < squares.length) return "overview_note_too_long";
    return arePooled(context.input, store.get().reference) ? "overview_note_change_pooled" : "overview_note_change";
  }

  function createSquare(layer, head) {
    const canvas = el("canvas");
    const caption = el("span", { class: "caption" });
    const element = el("button", { type: "button", class: "head",
      onclick: (event) => thumbnails.pick(event, { layer, head }),
      onpointerenter: () => prefetch([[layer, head]]) }, canvas, caption);
    return { layer, head, canvas, caption, element };
  }

  /** The number of a row or column and, for few heads, with the word; the style sheet shows what there is room for. */
  function namesOf(kind, index) {
    const number = String(index + 1);
    if (heads > NAMED) return [number];
    return [el("span", { class: "long" }, say(`overview_${kind}`, { [kind]: number })), el("span", { class: "short" }, number)];
  }

  function createMargin(names, layer, head) {
    const title = say(layer !== null ? "mean_of_layer" : head !== null ? "mean_of_head" : "mean_of_all",
      { layer: (layer ?? 0) + 1, head: (head ?? 0) + 1 });
    return el("button", { type: "button", class: "margin", title, "aria-label": title,
      onclick: () => store.set({ heads: headsOf(layer, head, context.input) }) }, ...names);
  }

  function description(layer, head, { statistics, kind }) {
    const numbers = Object.fromEntries(Object.entries(statistics).map((
      [name, values]) => [name, values[layer][head].toFixed(name === "distance" ? 1 : 2)]));
    const sentence = kind && kind !== "self" ? `head_described_${kind}` : "head_described";
    return say(sentence, { layer: layer + 1, head: head + 1, ...numbers });
  }

  function describe({ layer, head, element }, input, differences) {
    const map = differences?.get(`${layer}.${head}`);
    const text = description(layer, head, input) + (map ? ` ${say("head_change", { mean: map.mean.toFixed(4) })}` : "");
    element.title = afterName(text, input, layer, head);
    element.setAttribute("aria-label", element.title);
  }

  /** One row per layer, with margins; or by their rank, from the largest value down, a uniform head among them. */
  const arrange = remember((ranking) => {
    grid.classList.toggle("sorted", Boolean(ranking));
    grid.style.setProperty("--columns", heads);
    grid.style.setProperty("--rows", layers);
    grid.style.setProperty("--across", across);
    grid.style.setProperty("--down", Math.ceil((squares.length + 1) / across));
    squares.forEach(({ layer, head, caption }) => caption.replaceChildren(...(ranking?.captionOf(layer, head) ?? [])));
    const elements = (list) => list.map(({ element }) => element);
    if (ranking) {
      const ranked = squares.map(({ layer, head, element }) => ({ element, value: ranking.valueOf(layer, head) }));
      uniformCaption.replaceChildren(...ranking.uniform.caption);
      ranked.push({ element: uniform, value: ranking.uniform.value });
      return grid.replaceChildren(...elements(ranked.toSorted((a, b) => b.value - a.value)));
    }
    const rows = headsOf(null, 0, context.input).flatMap(([layer]) => [
      margins[1 + heads + layer], ...elements(squares.filter((square) => square.layer === layer))]);
    return grid.replaceChildren(...margins.slice(0, 1 + heads), ...rows);
  });

  const describeHeads = remember((input, differences, largest, limit, scale) => {
    for (const square of squares) describe(square, input, differences);
    legend.element.hidden = !differences || limit === "own";
    if (differences) legend.show(largest, scale);
  });

  const writeNote = remember((sentence) => { note.textContent = sentence; });
  const offerCriteria = remember((order, _input) => finder.draw({ order }));

  /** ranking: in which the heads stand now. */
  const markHeads = remember((selected, _ranking) => {
    const hasFocus = grid.contains(grid.getRootNode().activeElement);
    squares.forEach(({ layer, head, element: square }) => {
      const index = selected.findIndex(([l, h]) => l === layer && h === head);
      square.setAttribute("aria-pressed", String(index >= 0));
      square.tabIndex = index === 0 ? 0 : -1;
      square.style.setProperty("--mark", index < 0 ? "transparent" : context.colourOfHead(index));
      if (index === 0 && hasFocus) square.focus({ preventScroll: true });
    });
  });

  /** Differences have a note of their own, unless heads are ranked. */
  function noteOf(state, derived) {
    if (differences && !ranking) return say(noteOfDifferences(differences));
    const isByWeight = context.input.measure === "norms" && ranking && state.order !== "selected";
    return isByWeight ? joinTexts(finder.note(state, derived), say("overview_note_by_weight")) : finder.note(state, derived);
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
      const elements = [...grid.querySelectorAll(".head")];
      const selected = squares.find((square) => square.layer === layer && square.head === head);
      const neighbour = elements[elements.indexOf(selected?.element) + step[0] + step[1]];
      const next = squares.find((square) => square.element === neighbour);
      if (next) store.set({ heads: [[next.layer, next.head]] });
    }
  });

  return {
    element,
    draw(state, derived) {
      const painted = thumbnails.paint(state, derived);
      ({ differences } = painted);
      describeHeads(context.input, differences, painted.largest, state.limit, state.scale);
      ranking = finder.rank(state, derived);
      arrange(ranking);
      writeNote(noteOf(state, derived));
      offerCriteria(state.order, context.input);
      markHeads(state.heads, ranking);
    },
  };
}
