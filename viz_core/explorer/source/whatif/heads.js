// Every head as a square: its colour shows the effect of masking it alone, its sign the current change to it.

import { colourAt, inkAt } from "../shared/colours.js";
import { el } from "../shared/dom.js";
import { roveFocus } from "../shared/keyboard.js";
import { createStrip } from "../shared/legend.js";
import { afterName } from "../shared/names.js";
import { remember } from "../shared/remember.js";
import { section } from "../shared/section.js";
import { cycleHead, HEAD_STATES, headState, toggleLayer } from "./changes.js";
import { signs } from "./signs.js";

const LEAST = 0.01; // the scale covers at least 1 percentage point, so that negligible effects stay pale

export function createHeads(context) {
  const { input, say, measure } = context, { theme } = input;
  const { grid, squares } = createGrid(context), strip = createStrip(theme.diverging);
  const legend = el("div", { class: "legend" },
    el("div", { class: "ends" }, el("span", {}, measure.opposite && `← ${measure.opposite}`), el("span", {}, `${measure.name} →`)),
    strip.strip, strip.marks);
  const { element, note } = section({ name: "heads", title: say("heads") }, grid,
    signs(HEAD_STATES.slice(1).map((state) => [state, say(`head_${state}`)])), legend);
  note.textContent = say(measure.key("heads_note"));

  const paint = remember((effects) => {
    const largest = Math.max(LEAST, ...effects.flat().map(Math.abs)), stops = theme.diverging;
    for (const { layer, head, square, figure } of squares) {
      const position = (effects[layer][head] / largest + 1) / 2;
      square.style.background = colourAt(stops, position);
      square.style.color = inkAt(stops, position);
      figure.textContent = measure.short(effects[layer][head]);
    }
    strip.show([[0, measure.change(-largest)], [0.5, "0"], [1, measure.change(largest)]]);
  });

  function describe({ layer, head, square }, state, effects) {
    const values = { layer: layer + 1, head: head + 1, state: say(`head_${state}`), label: measure.name };
    square.dataset.state = state;
    const text = effects ? say(measure.key("head_described"), { ...values, effect: measure.change(effects[layer][head]) })
      : say("head_named", values);
    square.title = afterName(text, input, layer, head);
    square.setAttribute("aria-label", square.title);
  }

  const describeAll = remember((heads, effects) => {
    for (const square of squares) describe(square, headState({ heads }, square.layer, square.head), effects);
  });

  return {
    element,
    draw({ changes, effects }) {
      if (effects) paint(effects);
      legend.classList.toggle("waiting", !effects);
      describeAll(changes.heads, effects);
    },
  };
}

/** Rows are layers; `squares`: `{ layer, head, square, figure }` of each head. */
function createGrid({ input, say, change, changes }) {
  const { layers, heads } = input, squares = [];
  const grid = el("div", { class: "grid", role: "group", "aria-label": say("heads"), style: `--columns:${heads}` });
  grid.append(el("span"), ...Array.from({ length: heads }, (_, head) => (
    el("span", { class: "number" }, String(head + 1)))));
  for (let layer = 0; layer < layers; layer++) {
    const title = say("mask_layer", { layer: layer + 1 });
    grid.append(el("button", { type: "button", class: "layer", title, "aria-label": title, tabindex: "-1",
      onclick: () => change(toggleLayer(changes(), layer, heads)) }, say("layer", { layer: layer + 1 })));
    for (let head = 0; head < heads; head++) {
      const figure = el("span", { class: "figure" });
      const square = el("button", { type: "button", class: "square", tabindex: "-1",
        onclick: () => change(cycleHead(changes(), layer, head)) }, el("i", { "aria-hidden": "true" }), figure);
      squares.push({ layer, head, square, figure });
      grid.append(square);
    }
  }
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -heads - 1, ArrowDown: heads + 1 };
  const stops = () => [...grid.querySelectorAll("button")];
  roveFocus(grid, stops, (key, index) => {
    const to = index + steps[key];
    return key in steps ? (to in stops() ? to : index) : undefined;
  });
  squares[0].square.tabIndex = 0;
  return { grid, squares };
}
