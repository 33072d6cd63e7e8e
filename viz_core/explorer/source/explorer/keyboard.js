// Keys that work wherever the focus is in the explorer; arrows belong to the view that has it.

import { hasModifier } from "../shared/keyboard.js";
import { CHOICES, headsOf, VIEW_NAMES } from "./selection.js";
import { toggleView } from "./toolbar.js";

/** Listens on the root; returns a function that stops it. */
export function listenToKeys(root, { input, store }) {
  const next = (name) => {
    const values = CHOICES[name];
    store.set({ [name]: values[(values.indexOf(store.get()[name]) + 1) % values.length] });
  };
  const move = (side, step) => {
    const size = [input.layers, input.heads][side], to = [...store.get().heads[0]];
    to[side] = (to[side] + step + size) % size;
    store.set({ heads: [to] });
  };
  const actions = {
    h: () => move(1, 1), H: () => move(1, -1), l: () => move(0, 1), L: () => move(0, -1),
    m: () => store.set({ heads: headsOf(store.get().heads[0][0], null, input) }),
    s: () => next("scale"), d: () => next("direction"), ...(input.pair ? { w: () => next("unit") } : {}),
    "?": () => store.set({ help: !store.get().help }),
    Escape: () => store.set({ query: null, key: null, range: null, hover: null, help: false }),
    ...Object.fromEntries(VIEW_NAMES.map((name, index) => [String(index + 1), () => toggleView(store, name)])),
  };
  const listen = (event) => {
    if (hasModifier(event) || event.target.tagName === "SELECT") return;
    event.stopPropagation(); // the page around has keys of its own
    if (!(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  };
  root.addEventListener("keydown", listen);
  return () => root.removeEventListener("keydown", listen);
}

/** The token that a step of arrows leads to among the units that are shown: `list` of units, `unit` now or null. */
export function stepped(list, unit, step) {
  const at = list.indexOf(unit);
  return at < 0 ? list[step > 0 ? 0 : list.length - 1] : list[Math.min(Math.max(at + step, 0), list.length - 1)];
}
