// The colour scale from 0 to the largest weight, labelled with weights.

import { el } from "../shared/dom.js";
import { createStrip } from "../shared/legend.js";
import { weightAt } from "./scales.js";

const POSITIONS = [0, 0.25, 0.5, 0.75, 1];

/** `{ element, show(largest, scale, isCausal) }`; isCausal: explains how what cannot be attended to is marked. */
export function createLegend({ say, input }) {
  const { strip, marks, show } = createStrip(input.theme.sequential);
  const unreachable = el("span", { class: "blank", hidden: true }, el("i", { class: "unreachable" }), say("unreachable"));
  const name = el("span");
  return {
    element: el("div", { class: "legend" }, name, el("div", {}, strip, marks), unreachable),
    show(largest, scale, isCausal = false) {
      name.textContent = say("weight");
      show(weightLabels(largest, scale));
      unreachable.hidden = !isCausal;
    },
  };
}

/** The labels of the strip. */
export const weightLabels = (largest, scale) => (
  POSITIONS.map((position) => [position, formatWeight(weightAt(position, largest, scale))]));

/** Two significant digits, without an exponent. */
export function formatWeight(weight) {
  return weight === 0 || weight >= 0.001 ? String(Number(weight.toPrecision(2))) : weight.toFixed(5);
}
