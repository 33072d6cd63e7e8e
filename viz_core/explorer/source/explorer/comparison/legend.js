// The legend of a difference: orange for less weight than in the reference, blue for more.

import { el } from "../../shared/dom.js";
import { createStrip } from "../../shared/legend.js";
import { createUnnumbered, formatWeight } from "../legend.js";
import { weightAt } from "../scales.js";

const POSITIONS = [-1, -0.5, 0, 0.5, 1];

/** `{ element, show(largest, scale), showLeast(least) }`, as createLegend. */
export function createDifferenceLegend({ say, input }) {
  const { strip, marks, show } = createStrip(input.theme.diverging);
  const unnumbered = createUnnumbered(say, "unnumbered_difference");
  const blank = el("span", { class: "blank" }, el("i"), say("not_in_both"));
  return {
    element: el("div", { class: "legend difference" }, el("span", {}, say("change")), el("div", {}, strip, marks),
      blank, unnumbered.element),
    showLeast: unnumbered.show,
    show: (largest, scale) => show(changeLabels(largest, scale)),
  };
}

/** The labels of the strip. */
export const changeLabels = (largest, scale) => (
  POSITIONS.map((position) => [(1 + position) / 2, label(position, largest, scale)]));

function label(position, largest, scale) {
  const weight = formatWeight(weightAt(Math.abs(position), largest || 1, scale));
  return position < 0 ? `−${weight}` : position > 0 ? `+${weight}` : "0";
}

/** A signed number with four digits. */
export const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(4)}`;
