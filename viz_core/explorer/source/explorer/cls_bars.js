// What [CLS] attends to, as bars beside the text.

import { createChangeDetector } from "../shared/change_detector.js";
import { el } from "../shared/dom.js";
import { roveFocus } from "../shared/keyboard.js";
import { tokenName } from "../shared/names.js";
import { sortByWeight, weightsOfUnit } from "./attention.js";
import { hoveredCell, sideOf } from "./cells.js";

const BARS = 10;

/** The keys with the largest weights from [CLS], whose representation the classifier reads if pooling is `cls`. */
export function createBars({ input, say, store }) {
  const rows = Array.from({ length: Math.min(BARS, input.tokens) }, (_, index) => {
    const letter = el("span"), token = el("span", { class: "name" }), bar = el("i");
    const weight = el("span", { class: "number" });
    const button = el("button", {
      type: "button", tabindex: index ? "-1" : "0", onclick: () => select(units[index]),
      onpointerenter: () => store.set({
        hover: hoveredCell({ ...current, query: current.units.of[0] }, "from", units[index]) }),
      onpointerleave: () => store.set({ hover: null }),
    }, letter, token, el("span", { class: "track", "aria-hidden": "true" }, bar), weight);
    return { element: el("li", {}, button), button, letter, token, bar, weight };
  });
  const list = el("ol", {}, ...rows.map((row) => row.element));
  const isNew = createChangeDetector();
  let units = [], current = null;

  function select(unit) {
    if (!current.map) return; // the bars may show other units
    store.set({ query: 0, key: current.units.first[unit], range: null });
  }

  roveFocus(list, () => rows.slice(0, units.length).map(({ button }) => button),
    (key, index) => ({ ArrowUp: index - 1, ArrowDown: index + 1 })[key]);

  function fill({ map, units: all }) {
    const entries = sortByWeight(weightsOfUnit(map, all.of[0], "from", all), map.keys).slice(0, BARS);
    units = entries.map(({ unit }) => unit);
    rows.forEach(({ element, letter, token, bar, weight }, index) => {
      element.hidden = !entries[index];
      if (!entries[index]) return;
      letter.textContent = input.pair ? sideOf(all.groups[units[index]]) : "";
      letter.className = `side ${letter.textContent.toLowerCase()}`;
      token.textContent = tokenName(all, units[index]);
      bar.style.width = `${(100 * entries[index].weight) / (entries[0].weight || 1)}%`;
      weight.textContent = entries[index].weight.toFixed(4);
    });
  }

  return {
    element: el("div", { class: "bars" }, el("h5", {}, say("cls_bars")), list,
      el("p", { class: "read" }, say(input.pooling === "cls" ? "cls_read" : "cls_not_read"))),
    draw(derived) {
      current = derived;
      if (!derived.map) return;
      if (isNew("map", derived.map)) fill(derived);
      const key = derived.query === derived.units.of[0] ? derived.key : null;
      if (!isNew("key", derived.map, key)) return;
      rows.forEach(({ button }, index) => {
        button.setAttribute("aria-pressed", String(key !== null && units[index] === key));
      });
    },
  };
}
