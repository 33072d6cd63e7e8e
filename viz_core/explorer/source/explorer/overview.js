// Every head of every layer as a small square: max-pooled, on a square-root scale, so that single strong cells stay seen.

import { dropdown } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { chooser, panel } from "./panel.js";
import { ramp } from "./scales.js";
import { CHOICES, headsOf } from "./selection.js";

const COARSE = 36; // cells a side: so few are drawn with sharp edges
const SIZES = ["entropy", "distance", "cls", "sep"];

export function createOverview(context) {
  const { input, say, store, want } = context;
  const order = dropdown(say("order"), Object.fromEntries(CHOICES.order.map((name) => [name, say(`order_${name}`)])),
    (name) => store.set({ order: name }));
  const colours = chooser(say("colour_scale"), { true: say("colour_scale_shared"), false: say("colour_scale_each") },
    (value) => store.set({ alike: value === "true" }));
  const grid = el("div", { class: "heads", role: "group", "aria-label": say("overview") });
  const { element, note } = panel(context, "overview", grid);
  element.append(el("div", { class: "below" }, order.element, colours.element));
  const squares = headsOf(null, null, input).map(([layer, head]) => square(layer, head));
  const margins = [
    margin(say("all_heads"), null, null),
    ...headsOf(0, null, input).map(([, head]) => margin(String(head + 1), null, head)),
    ...headsOf(null, 0, input).map(([layer]) => margin(String(layer + 1), layer, null)),
  ];
  let painted = null;

  function square(layer, head) {
    const canvas = el("canvas", { width: input.side, height: input.side, class: input.side <= COARSE ? "coarse" : "" });
    const caption = el("span", { class: "caption" });
    const choose = (event) => {
      const add = event.shiftKey || event.ctrlKey || event.metaKey;
      store.set({ heads: add ? toggled(store.get().heads, layer, head) : [[layer, head]] });
    };
    const element = el("button", { type: "button", class: "head", onclick: choose, title: described(layer, head),
      "aria-label": described(layer, head), onpointerenter: () => want([[layer, head]]) }, canvas, caption);
    return { layer, head, canvas, caption, element };
  }

  function margin(label, layer, head) {
    const title = say(layer !== null ? "mean_of_layer" : head !== null ? "mean_of_head" : "mean_of_all",
      { layer: (layer ?? 0) + 1, head: (head ?? 0) + 1 });
    return el("button", { type: "button", class: "margin", title, "aria-label": title,
      onclick: () => store.set({ heads: headsOf(layer, head, input) }) }, label);
  }

  function described(layer, head) {
    const numbers = Object.fromEntries(SIZES.map((name) => [name, input.statistics[name][layer][head].toFixed(
      name === "distance" ? 1 : 2)]));
    return say("head_described", { layer: layer + 1, head: head + 1, ...numbers });
  }

  function paint(alike) {
    const peaks = input.peaks.flat(), highest = Math.max(...peaks);
    squares.forEach(({ layer, head, canvas }) => {
      const peak = input.peaks[layer][head];
      const scale = alike ? Math.sqrt(peak / (highest || 1)) : 1; // thumbnails hold square roots already
      const colours = ramp(input.theme.sequential, (place) => place * scale, 256);
      const image = new ImageData(input.side, input.side);
      const pixels = new Uint32Array(image.data.buffer);
      input.thumbnail(layer, head).forEach((value, cell) => { pixels[cell] = colours[value]; });
      canvas.getContext("2d").putImageData(image, 0, 0);
    });
    painted = alike;
  }

  /** In their places, rows = layers with the margins around; or in a row from the largest number to the smallest. */
  function arrange(by) {
    const inPlace = by === "place";
    grid.classList.toggle("sorted", !inPlace);
    grid.style.setProperty("--columns", input.heads);
    const value = ({ layer, head }) => input.statistics[by][layer][head];
    squares.forEach((one) => {
      one.caption.textContent = inPlace ? "" : say("sorted_caption", {
        layer: one.layer + 1, head: one.head + 1, value: value(one).toFixed(by === "distance" ? 1 : 2) });
    });
    if (!inPlace) return grid.replaceChildren(...squares.toSorted((a, b) => value(b) - value(a)).map((one) => one.element));
    const rows = headsOf(null, 0, input).flatMap(([layer]) => [
      margins[1 + input.heads + layer], ...squares.filter((one) => one.layer === layer).map((one) => one.element)]);
    grid.replaceChildren(...margins.slice(0, 1 + input.heads), ...rows);
  }

  /** Arrows: the neighbour in the grid, or in the sorted row. */
  element.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step || event.target.tagName === "SELECT") return;
    event.preventDefault();
    const [layer, head] = store.get().heads[0];
    if (store.get().order === "place") {
      const to = [layer + step[0], head + step[1]];
      if (to[0] in input.peaks && to[1] in input.peaks[0]) store.set({ heads: [to] });
    } else {
      const shown = [...grid.children], here = squares.find((one) => one.layer === layer && one.head === head).element;
      const next = squares.find((one) => one.element === shown[shown.indexOf(here) + step[0] + step[1]]);
      if (next) store.set({ heads: [[next.layer, next.head]] });
    }
  });

  return {
    element,
    draw(state, shown, changed) {
      if (painted !== state.alike) paint(state.alike);
      if (changed.has("order") || changed.has("units") || !grid.children.length) {
        arrange(state.order);
        order.show(state.order);
        note.textContent = say(state.order === "place" ? "overview_note" : `overview_note_${state.order}`);
      }
      if (!changed.has("heads") && !changed.has("alike") && !changed.has("order")) return;
      colours.show(String(state.alike));
      const inside = grid.contains(grid.getRootNode().activeElement);
      squares.forEach(({ layer, head, element: one }) => {
        const at = state.heads.findIndex(([l, h]) => l === layer && h === head);
        one.setAttribute("aria-pressed", String(at >= 0));
        one.tabIndex = at === 0 ? 0 : -1;
        one.style.setProperty("--mark", at < 0 ? "transparent" : context.colourOfHead(at));
        if (at === 0 && inside) one.focus({ preventScroll: true });
      });
    },
  };
}

/** The heads with this one added, or taken away; at least one stays. */
function toggled(heads, layer, head) {
  const others = heads.filter(([l, h]) => l !== layer || h !== head);
  return others.length === heads.length ? [...heads, [layer, head]] : others.length ? others : heads;
}
