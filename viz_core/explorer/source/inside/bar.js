// Above the steps: which head, query and key are followed, and the way through the steps.

import { button, dropdown } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { headLabel, tokenName } from "../shared/names.js";
import { remember } from "../shared/remember.js";
import { createPlayer } from "./player.js";
import { START } from "./state.js";
import { stepsOf, titleOf } from "./steps.js";

/** Dropdowns for the attention, head, query and key: `{ element, draw(record, state) }`. */
export function createPicker(say, set) {
  const element = el("div", { class: "picker" });
  let kind, head, query, key;

  const create = remember(({ kinds, sizes: { L, H, Q, K }, sides, names, kind: shown }) => {
    const heads = Array.from({ length: L * H }, (_, index) => [Math.floor(index / H), index % H]);
    const tokens = (side, count) => Object.fromEntries(Array.from({ length: count }, (_, index) => [index, tokenName(side, index)]));
    kind = dropdown(say("kind"), Object.fromEntries(kinds.map((name) => [name, say(`kind_${name}`)])), (name) => set({ kind: name }));
    head = dropdown(say("layer_and_head"), Object.fromEntries(heads.map((entry) => [entry.join("."), headLabel({ names, kind: shown }, ...entry)])), (name) => {
      const [layer, number] = name.split(".").map(Number);
      set({ layer, head: number });
    });
    query = dropdown(say("query"), tokens(sides.query, Q), (index) => set({ query: Number(index) }));
    key = dropdown(say("key"), tokens(sides.key, K), (index) => set({ key: Number(index) }));
    for (const [name, { element: list }] of Object.entries({ kind, head, query, key })) list.classList.add(name);
    element.replaceChildren(...(kinds.length > 1 ? [kind.element] : []), head.element, query.element, key.element);
  });

  return {
    element,
    draw(record, state) {
      create({ kinds: record.kinds, sizes: record.sizes, sides: record.sides, names: record.names, kind: record.kind });
      kind.show(state.kind);
      head.show(`${state.layer}.${state.head}`);
      query.show(String(state.query));
      key.show(String(state.key));
    },
  };
}

/**
 * Back, forward, play, and the list of the steps: `{ element, draw(record, state), move(by), close() }`. narration(): what
 * is said of the current step. further: another button.
 */
export function createStepper(say, state, set, { narration, further }) {
  let steps = [START];
  const move = (by) => {
    const index = steps.indexOf(state().step) + by;
    if (index in steps) set({ step: steps[index] });
    return index + by in steps;
  };
  const back = button("←", say("back"), () => move(-1)), forward = button("→", say("forward"), () => move(1));
  const player = createPlayer(say, () => move(1), narration);
  const position = el("span", { class: "label position" }), slot = el("span"), progress = el("i");
  const element = el("div", { class: "stepper" }, back, slot, forward, player.element, position,
    el("span", { class: "progress", "aria-hidden": "true" }, progress), further);
  const listOf = remember((steps, titles) => {
    const list = dropdown(say("step"), Object.fromEntries(steps.map((name, index) => [name, `${index ? `${index}. ` : ""}${say(titles[index])}`])),
      (name) => set({ step: name }));
    slot.replaceChildren(list.element);
    return list;
  });
  return {
    element,
    move,
    draw(record, { step }) {
      steps = stepsOf(record);
      listOf(steps, steps.map((name) => titleOf(name, record))).show(step);
      const index = steps.indexOf(step);
      back.disabled = index === 0;
      forward.disabled = index === steps.length - 1;
      position.textContent = index ? say("position", { number: index, all: steps.length - 1 }) : "";
      progress.style.width = `${(100 * index) / (steps.length - 1)}%`;
    },
    close: player.stop,
  };
}
