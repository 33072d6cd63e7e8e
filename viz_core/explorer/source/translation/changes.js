// What if: heads of the cross-attention masked, source tokens blocked.

import { el } from "../shared/dom.js";
import { roveFocus } from "../shared/keyboard.js";
import { headName, withName } from "../shared/names.js";
import { remember } from "../shared/remember.js";
import { percent } from "./names.js";
import { isChanged } from "./state.js";

const toggle = (list, entry) => {
  const others = list.filter((other) => String(other) !== String(entry));
  return others.length < list.length ? others : [...list, entry];
};

/**
 * `{ element, original, draw(result, state) }`. original: the translation without the changes. state(): the present one;
 * set(patch): a change; reset(): all of them are undone.
 */
export function createChanges({ layers, heads, names }, say, state, set, reset) {
  const squares = Array.from({ length: layers * heads }, (_, index) => {
    const entry = [Math.floor(index / heads), index % heads];
    return { entry, square: el("button", { type: "button", class: "square", tabindex: index ? "-1" : "0",
      onclick: () => set({ masked: toggle(state().masked, entry) }) }, headName(...entry)) };
  });
  const grid = el("div", { class: "squares", role: "group", "aria-label": say("mask"), style: `--columns:${heads}` },
    ...squares.map(({ square }) => square));
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -heads, ArrowDown: heads };
  roveFocus(grid, () => squares.map(({ square }) => square), (key, index) => (
    key in steps ? index + steps[key] : undefined));
  const chips = el("div", { class: "chips", role: "group", "aria-label": say("block") });
  roveFocus(chips, () => [...chips.children], (key, index) => (
    { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: Infinity })[key]);
  const undo = el("button", { type: "button", onclick: reset }, say("reset"));
  const original = el("div", { class: "original" });
  // Closed at first: the attention below should be in sight.
  const element = el("details", { class: "changes" }, el("summary", {}, say("changes")),
    el("p", { class: "note" }, say("mask_note")), grid, el("p", { class: "note" }, say("block_note")), chips);

  const drawChips = remember((source) => {
    chips.replaceChildren(...source.labels.map((label, token) => el("button", {
      type: "button", class: source.special[token] ? "chip special" : "chip", tabindex: token ? "-1" : "0",
      onclick: () => set({ blocked: toggle(state().blocked, token) }) }, label)));
  });

  return {
    element,
    original,
    draw(result, state) {
      if (isChanged(state)) element.open = true;
      if (result.source) drawChips(result.source);
      for (const { entry, square } of squares) {
        const off = state.masked.some((other) => String(other) === String(entry));
        const text = say(off ? "head_masked" : "head_named", { layer: entry[0] + 1, head: entry[1] + 1 });
        const name = withName(text, { names, kind: "cross" }, ...entry);
        square.setAttribute("aria-pressed", String(off));
        square.title = name;
        square.setAttribute("aria-label", `${headName(...entry)}: ${name}`);
      }
      [...chips.children].forEach((chip, token) => {
        const off = state.blocked.includes(token);
        chip.setAttribute("aria-pressed", String(off));
        chip.title = say(off ? "token_blocked" : "token_named", { token: `${chip.textContent} (${token + 1})` });
      });
      original.replaceChildren(...(isChanged(state) ? [describe(result.original, say), undo] : []));
    },
  };
}

/** The unchanged translation, and what the changes make of the probability of each of its words. */
function describe(original, say) {
  if (!original) return el("p", { class: "note" }, say("comparing"));
  const words = original.steps.map(({ token, probability }, index) => {
    const after = original.changed[index], drop = probability - after;
    return el("span", { class: `was ${drop > 0.05 ? "less" : drop < -0.05 ? "more" : ""}` },
      el("span", { class: "token" }, token),
      el("span", { class: "share" }, `${percent(probability)} → ${percent(after)}`));
  });
  return el("div", {}, el("p", { class: "note" }, say("original")), el("div", { class: "words was" }, ...words));
}
