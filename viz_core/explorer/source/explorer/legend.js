// The colour scale from 0 to the largest weight, labelled with weights.

import { el } from "../shared/dom.js";
import { createStrip } from "../shared/legend.js";
import { weightAt } from "./scales.js";

const POSITIONS = [0, 0.25, 0.5, 0.75, 1];

/**
 * `{ element, show(largest, scale, isCausal), showLeast(least) }`; isCausal: explains how what cannot be attended to is
 * marked; showLeast: as createUnnumbered.
 */
export function createLegend({ say, input }) {
  const { strip, marks, show } = createStrip(input.theme.sequential);
  const unreachable = el("span", { class: "blank", hidden: true }, el("i", { class: "unreachable" }), say("unreachable"));
  const name = el("span"), unnumbered = createUnnumbered(say);
  return {
    element: el("div", { class: "legend" }, name, el("div", {}, strip, marks), unreachable, unnumbered.element),
    showLeast: unnumbered.show,
    show(largest, scale, isCausal = false) {
      name.textContent = say("weight");
      show(weightLabels(largest, scale));
      unreachable.hidden = !isCausal;
    },
  };
}

/** Says which cells have no number: those below `least`; null where no cell has one. key: of the sentence. */
export function createUnnumbered(say, key = "unnumbered") {
  const element = el("span", { class: "unnumbered", hidden: true });
  return {
    element,
    show(least) {
      element.hidden = least === null;
      element.textContent = least === null ? "" : say(key, { least: formatWeight(least) });
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
