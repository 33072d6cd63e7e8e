// The line above the views: which head is shown, and in words and numbers what is pointed at or selected.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { headName, tokenName } from "../shared/names.js";
import { blockMass } from "./attention.js";
import { span } from "./cells.js";
import { wholeSet } from "./selection.js";

export function createReading({ input, say, store }) {
  const title = el("h3"), line = el("p", { class: "line" });
  const spoken = el("p", { class: "spoken", role: "status" }); // selections only: every hover would be too much talk
  const clear = button("✕", say("clear"), () => store.set({ query: null, key: null, range: null }), { class: "clear" });
  const retry = button(say("retry"), say("retry"), () => store.set({ failed: false }), { class: "retry" });

  function heads(chosen) {
    const whole = wholeSet(chosen, input);
    if (!whole) return say("of_some", { heads: chosen.map(([layer, head]) => headName(layer, head)).join(", ") });
    const [layer, head] = whole;
    const key = layer === null ? (head === null ? "everything" : "heads") : head === null ? "layer" : "head";
    return say(`of_${key}`, { layer: (layer ?? 0) + 1, head: (head ?? 0) + 1 });
  }

  function cell({ map, units }, query, key) {
    const [row, column] = [map.rowOf[query], map.columnOf[key]];
    const weight = row < 0 || column < 0 ? null : map.weights[row * map.keys.length + column];
    const values = { query: tokenName(units, query), key: tokenName(units, key) };
    return weight === null ? say("cell_hidden", values) : say("cell", { ...values, weight: weight.toFixed(4) });
  }

  function selected(state, shown) {
    if (state.range) return range(state.range, shown);
    if (shown.query === null && shown.key === null) return say("nothing_selected");
    if (shown.query === null) {
      return say("key_only", { key: tokenName(shown.units, shown.key), weight: shown.weights[shown.key].toFixed(4) });
    }
    if (shown.key !== null) return cell(shown, shown.query, shown.key);
    return say(`selected_${state.direction}`, { token: tokenName(shown.units, shown.query) });
  }

  function range({ queries, keys }, { map, units }) {
    const rows = span(queries, units, map.rowOf), columns = span(keys, units, map.columnOf);
    if (!rows || !columns) return say("range_hidden");
    const mass = blockMass(map, rows, columns, units);
    return say("range", { queries: named(queries, units), keys: named(keys, units), mass: mass.toFixed(4) });
  }

  function named([first, last], units) {
    const [from, to] = [units.of[first], units.of[last]];
    return from === to ? tokenName(units, from) : say("from_to", { first: tokenName(units, from), last: tokenName(units, to) });
  }

  return {
    element: el("div", { class: "reading" }, title, line, clear, retry, spoken),
    draw(state, shown, changed) {
      if (changed.has("heads")) title.textContent = heads(state.heads);
      retry.hidden = !state.failed;
      clear.hidden = state.query === null && state.key === null && !state.range;
      if (!shown.map) {
        line.textContent = say(state.failed ? "failed" : "fetching");
        return;
      }
      const sentence = selected(state, shown);
      line.textContent = state.hover ? cell(shown, state.hover.query, state.hover.key) : sentence;
      line.classList.toggle("hovering", Boolean(state.hover));
      if (!state.hover && spoken.textContent !== `${title.textContent}. ${sentence}`) {
        spoken.textContent = `${title.textContent}. ${sentence}`;
      }
    },
  };
}
