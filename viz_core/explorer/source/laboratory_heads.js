// Every head as a square: its colour says what masking it alone would do, its sign what is done to it.

import { colourAt, inkAt } from "./colours.js";
import { el } from "./dom.js";
import { cycledHead, HEAD_STATES, headState, maskedLayer } from "./laboratory_changes.js";
import { part, rove, signs } from "./laboratory_focus.js";
import { points } from "./laboratory_numbers.js";
import { memory } from "./memory.js";

const LEAST = 0.01; // the colours reach at least to one point: below, all heads are pale

export function createHeads({ input, say, change, changes }) {
  const { layers, heads, classes } = input, renewed = memory();
  const grid = el("div", { class: "grid", role: "group", "aria-label": say("heads"), style: `--columns:${heads}` });
  const marks = el("div", { class: "marks" });
  const legend = el("div", { class: "legend" },
    el("div", { class: "ends" }, el("span", {}, `← ${classes[0]}`), el("span", {}, `${classes.at(-1)} →`)),
    el("div", { class: "strip", style: `background:linear-gradient(90deg,${input.theme.diverging.join(",")})` }), marks);
  const { element, note } = part("heads", say("heads"), [], grid,
    signs(HEAD_STATES.slice(1).map((state) => [state, say(`head_${state}`)])), legend);
  note.textContent = say("heads_note");
  const squares = [];
  grid.append(el("span"), ...Array.from({ length: heads }, (_, head) => el("span", { class: "number" }, String(head + 1))));
  for (let layer = 0; layer < layers; layer++) {
    const title = say("mask_layer", { layer: layer + 1 });
    grid.append(el("button", { type: "button", class: "layer", title, "aria-label": title, tabindex: "-1",
      onclick: () => change(maskedLayer(changes(), layer, heads)) }, say("layer", { layer: layer + 1 })));
    for (let head = 0; head < heads; head++) {
      const figure = el("span", { class: "figure" });
      const square = el("button", { type: "button", class: "square", tabindex: "-1",
        onclick: () => change(cycledHead(changes(), layer, head)) }, el("i", { "aria-hidden": "true" }), figure);
      squares.push({ layer, head, square, figure });
      grid.append(square);
    }
  }
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -heads - 1, ArrowDown: heads + 1 };
  const stops = () => [...grid.querySelectorAll("button")];
  rove(grid, stops, (key, index) => {
    const to = index + steps[key];
    return key in steps ? (to in stops() ? to : index) : undefined;
  });
  squares[0].square.tabIndex = 0;

  function paint(effects) {
    const largest = Math.max(LEAST, ...effects.flat().map(Math.abs)), stops = input.theme.diverging;
    for (const { layer, head, square, figure } of squares) {
      const place = (effects[layer][head] / largest + 1) / 2;
      square.style.background = colourAt(stops, place);
      square.style.color = inkAt(stops, place);
      figure.textContent = points(effects[layer][head], 0);
    }
    marks.replaceChildren(...[-1, 0, 1].map((side) => el("span", { style: `left:${50 + 50 * side}%` },
      side ? points(side * largest) : "0")));
  }

  return {
    element,
    draw({ changes: now, effects }) {
      if (effects && renewed("effects", effects)) paint(effects);
      legend.classList.toggle("waiting", !effects);
      if (!renewed("states", now.heads, effects)) return;
      for (const { layer, head, square } of squares) {
        const state = headState(now, layer, head), effect = effects && points(effects[layer][head]);
        square.dataset.state = state;
        square.title = say(effects ? "head_described" : "head_named", {
          layer: layer + 1, head: head + 1, state: say(`head_${state}`), label: classes.at(-1), effect });
        square.setAttribute("aria-label", square.title);
      }
    },
  };
}
