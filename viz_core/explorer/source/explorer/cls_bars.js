// What [CLS] attends to, as bars beside the text.

import { createChangeDetector } from "../shared/change_detector.js";
import { el } from "../shared/dom.js";
import { roveFocus } from "../shared/keyboard.js";
import { tokenName } from "../shared/names.js";
import { sortByWeight, weightsOfUnit } from "./attention.js";
import { hoveredCell, sideOf } from "./cells.js";
import { signed } from "./comparison/legend.js";

const BARS = 10;

/**
 * The keys with the largest weights from [CLS], whose representation the classifier reads if pooling is `cls`. Compared
 * with a reference, two bars each: before, and now.
 */
export function createBars({ input: { pair, pooling }, say, store }) {
  const title = el("h4"), legend = el("p", { class: "key-of-bars" }, el("i", { class: "before" }), say("reference"),
    el("i"), say("current"));
  const rows = Array.from({ length: BARS }, (_, index) => {
    const letter = el("span"), token = el("span", { class: "name" });
    const bar = el("i"), before = el("i", { class: "before" });
    const weight = el("span", { class: "number" });
    const button = el("button", {
      type: "button", tabindex: index ? "-1" : "0", onclick: () => select(units[index]),
      onpointerenter: () => store.set({ hover: units[index] === null ? null
        : hoveredCell({ ...current, token: current.units.of[0], over: "key" }, units[index]) }),
      onpointerleave: () => store.set({ hover: null }),
    }, letter, token, el("span", { class: "track", "aria-hidden": "true" }, before, bar), weight);
    return { element: el("li", {}, button), button, letter, token, before, bar, weight };
  });
  const list = el("ol", {}, ...rows.map((row) => row.element));
  const isNew = createChangeDetector();
  let units = [], current = null;

  function select(unit) {
    if (!current.map || unit === null) return; // the bars may show other units, or a token that was taken out
    store.set({ query: 0, key: current.units.first[unit], range: null });
  }

  roveFocus(list, () => rows.slice(0, units.length).map(({ button }) => button),
    (key, index) => ({ ArrowUp: index - 1, ArrowDown: index + 1 })[key]);

  function fill({ map, sides, units: all, difference, isShared }) {
    const weights = weightsOfUnit(map, all.of[0], "from", sides);
    const entries = difference ? pairedEntries(weights, map, all, difference)
      : sortByWeight(weights, map.keys).map(({ unit, weight }) => ({ unit, weight, units: all, at: unit }));
    units = entries.slice(0, BARS).map(({ unit }) => unit);
    const longest = isShared ? map.largest : Math.max(...entries.slice(0, 1).map(sizeOf));
    const width = (weight) => `${(100 * weight) / (longest || 1)}%`;
    title.textContent = say(difference ? "cls_bars_difference" : "cls_bars");
    legend.hidden = !difference;
    rows.forEach(({ element, letter, token, before, bar, weight }, index) => {
      element.hidden = index >= units.length;
      if (element.hidden) return;
      const entry = entries[index];
      letter.textContent = pair ? sideOf(entry.units.groups[entry.at]) : "";
      letter.className = `side ${letter.textContent.toLowerCase()}`;
      token.textContent = tokenName(entry.units, entry.at);
      token.classList.toggle("out", entry.unit === null);
      bar.style.width = width(entry.weight);
      before.style.width = width(entry.before ?? 0);
      before.hidden = !difference;
      weight.textContent = difference ? signed(entry.weight - entry.before) : entry.weight.toFixed(4);
    });
  }

  /** Tokens of either input by the larger of their two weights; those taken out have no unit. */
  function pairedEntries(weights, map, all, { reference, aligned }) {
    const { units: others, map: before } = reference, old = weightsOfUnit(before, others.of[0], "from", reference.sides);
    const present = [...map.keys].map((unit) => {
      const at = aligned.referenceOf[unit];
      return { unit, weight: weights[unit], before: at < 0 ? 0 : old[at], units: all, at: unit };
    });
    const gone = before.keys.filter((unit) => aligned.currentOf[unit] < 0)
      .map((unit) => ({ unit: null, weight: 0, before: old[unit], units: others, at: unit }));
    return [...present, ...gone].sort((a, b) => sizeOf(b) - sizeOf(a));
  }

  return {
    element: el("div", { class: "bars" }, title, legend, list,
      el("p", { class: "read" }, say(pooling === "cls" ? "cls_read" : "cls_not_read"))),
    draw(derived) {
      current = derived;
      if (!derived.map) return;
      if (isNew("map", derived.map, derived.difference?.map)) fill(derived);
      const key = derived.query === derived.units.of[0] ? derived.key : null;
      if (!isNew("key", derived.map, key)) return;
      rows.forEach(({ button }, index) => {
        button.setAttribute("aria-pressed", String(key !== null && units[index] === key));
      });
    },
  };
}

/** The larger of the weights of an entry, now and before. */
const sizeOf = ({ weight, before = 0 }) => Math.max(weight, before);
