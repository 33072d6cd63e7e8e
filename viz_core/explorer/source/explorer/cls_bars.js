// What [CLS] looks at, as bars beside the text.

import { el } from "../shared/dom.js";
import { roveFocus } from "../shared/keyboard.js";
import { memory } from "../shared/memory.js";
import { tokenName } from "../shared/names.js";
import { sorted, weightsOfUnit } from "./attention.js";
import { pointed, sideOf } from "./cells.js";

const BARS = 10;

/** The keys that [CLS] gives most weight to: what the classifier reads, where it reads at [CLS]. */
export function createBars({ input, say, store }) {
  const rows = Array.from({ length: Math.min(BARS, input.tokens) }, (_, place) => {
    const letter = el("span"), token = el("span", { class: "name" }), bar = el("i");
    const weight = el("span", { class: "number" });
    const button = el("button", {
      type: "button", tabindex: place ? "-1" : "0", onclick: () => choose(units[place]),
      onpointerenter: () => store.set({ hover: pointed({ ...now, query: now.units.of[0] }, "from", units[place]) }),
      onpointerleave: () => store.set({ hover: null }),
    }, letter, token, el("span", { class: "track", "aria-hidden": "true" }, bar), weight);
    return { element: el("li", {}, button), button, letter, token, bar, weight };
  });
  const list = el("ol", {}, ...rows.map((row) => row.element));
  const renewed = memory();
  let units = [], now = null;

  function choose(unit) {
    if (now.map) store.set({ query: 0, key: now.units.first[unit], range: null }); // else the bars are of other units
  }

  roveFocus(list, () => rows.slice(0, units.length).map(({ button }) => button),
    (key, index) => ({ ArrowUp: index - 1, ArrowDown: index + 1 })[key]);

  function fill({ map, units: all }) {
    const found = sorted(weightsOfUnit(map, all.of[0], "from", all), map.keys).slice(0, BARS);
    units = found.map(({ unit }) => unit);
    rows.forEach(({ element, letter, token, bar, weight }, place) => {
      element.hidden = !found[place];
      if (!found[place]) return;
      letter.textContent = input.pair ? sideOf(all.groups[units[place]]) : "";
      letter.className = `side ${letter.textContent.toLowerCase()}`;
      token.textContent = tokenName(all, units[place]);
      bar.style.width = `${(100 * found[place].weight) / (found[0].weight || 1)}%`;
      weight.textContent = found[place].weight.toFixed(4);
    });
  }

  return {
    element: el("div", { class: "bars" }, el("h5", {}, say("cls_bars")), list,
      el("p", { class: "read" }, say(input.pooling === "cls" ? "cls_read" : "cls_not_read"))),
    draw(shown) {
      now = shown;
      if (!shown.map) return;
      if (renewed("map", shown.map)) fill(shown);
      const key = shown.query === shown.units.of[0] ? shown.key : null;
      if (!renewed("key", shown.map, key)) return;
      rows.forEach(({ button }, place) => {
        button.setAttribute("aria-pressed", String(key !== null && units[place] === key));
      });
    },
  };
}
