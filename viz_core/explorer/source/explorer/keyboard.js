// Shortcuts, wherever the focus is on the page; arrow keys belong to the focused view.

import { hasModifier, isComposing, isTaken } from "../shared/keyboard.js";
import { comparisonMode, NO_REFERENCE, pinnedState } from "./comparison/reference.js";
import { nextPresented } from "./presentation.js";
import { CHOICES, headsOf, PRESENTED, VIEW_NAMES } from "./selection.js";
import { workAnywhere } from "../shared/shortcut_scope.js";
import { addSkipLink } from "./skip_link.js";
import { chooseView } from "./toolbar.js";
import { hasWords } from "./units.js";

const listening = []; // roots of the explorers of the page: keys from outside them are those of the first

/** Listens on the page, of a compact one on the root alone; returns a function that stops listening. */
export function listenToKeys(root, context) {
  const { store, visit } = context, { pair, layers, heads, kinds } = context.input;
  const next = (name) => {
    const values = CHOICES[name];
    store.set({ [name]: values[(values.indexOf(store.get()[name]) + 1) % values.length] });
  };
  const move = (side, step) => {
    const size = [layers, heads][side], head = [...store.get().heads[0]];
    head[side] = (head[side] + step + size) % size;
    store.set({ heads: [head] });
  };
  const comparing = {
    p: () => store.set(pinnedState(context.input, store.get())), P: () => store.set(NO_REFERENCE),
    c: () => {
      if (!store.get().reference) return;
      store.set({ comparison: comparisonMode(store.get()) === "side" ? "difference" : "side" });
    },
  };
  const presenting = {
    f: () => store.set({ present: store.get().present ? null : PRESENTED[0] }),
    v: () => { if (store.get().present) store.set({ present: nextPresented(store.get().present) }); },
    ...(visit.stepExample ? { e: () => visit.stepExample(1), E: () => visit.stepExample(-1) } : {}),
  };
  const escape = () => {
    if (store.get().present) return store.set(store.get().help ? { help: false } : { present: null });
    store.set({ query: null, key: null, range: null, hover: null, help: false });
  };
  const actions = {
    ...presenting, Escape: escape,
    h: () => move(1, 1), H: () => move(1, -1), l: () => move(0, 1), L: () => move(0, -1),
    m: () => store.set({ heads: headsOf(store.get().heads[0][0], null, context.input) }),
    s: () => next("scale"), d: () => next("direction"), w: () => { if (pair || hasWords(context.input)) next("unit"); },
    ...(kinds ? { k: () => context.showKind(kinds[(kinds.indexOf(context.input.kind) + 1) % kinds.length]) } : comparing),
    "?": () => store.set({ help: !store.get().help }),
    ...Object.fromEntries(VIEW_NAMES.map((name, index) => [String(index + 1), () => chooseView(store, name)])),
  };
  const listen = (event) => {
    if (hasModifier(event) || isComposing(event) || isTaken(event, root)) return;
    const isWithin = event.currentTarget === root;
    if (!isWithin && (listening[0] !== root || event.defaultPrevented || !workAnywhere())) return;
    if (isWithin || event.key in actions) event.stopPropagation(); // Streamlit has shortcuts of its own
    if (!(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  };
  const removeSkipLink = addSkipLink(root, context.say("skip"));
  const targets = visit.isCompact ? [root] : [root, document];
  targets.forEach((target) => target.addEventListener("keydown", listen));
  listening.push(root);
  return () => {
    targets.forEach((target) => target.removeEventListener("keydown", listen));
    listening.splice(listening.indexOf(root), 1);
    removeSkipLink();
  };
}

/** The item that an arrow key moves to: `item` is the current one, or null to enter the list from its start or end. */
export function nextItem(list, item, step) {
  const index = list.indexOf(item);
  return index < 0 ? list[step > 0 ? 0 : list.length - 1] : list[Math.min(Math.max(index + step, 0), list.length - 1)];
}
