// The legend of a difference: orange for less weight than in the reference, blue for more.

import { el } from "../../shared/dom.js";
import { createStrip } from "../../shared/legend.js";
import { createUnnumbered, formatWeight } from "../legend.js";
import { MIN_DISTANCE, signedShare, ticks } from "../scales.js";

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

/** The labels of the strip. @returns {[number, string][]} */
export function changeLabels(largest, scale) {
  const more = ticks(largest || 1, scale, 2 * MIN_DISTANCE); // each side of 0 has half the length
  const all = [...more.slice(1).map((change) => -change).reverse(), ...more];
  return all.map((change) => [signedShare(change, largest || 1, scale), label(change)]);
}

const label = (change) => (change ? `${change < 0 ? "−" : "+"}${formatWeight(Math.abs(change))}` : "0");

/** A signed number with four digits. */
export const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(4)}`;
