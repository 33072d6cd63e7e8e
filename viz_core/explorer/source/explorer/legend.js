// The colour scale from 0 to the weight of its darkest colour, labelled with weights.

import { el } from "../shared/dom.js";
import { createStrip } from "../shared/legend.js";
import { share, ticks } from "./scales.js";

/**
 * `{ element, show(darkest, scale, isCut, isCausal), showLeast(least) }`; isCut: as of weightLabels; isCausal: explains how what cannot be attended to is
 * marked; showLeast: as createUnnumbered.
 */
export function createLegend({ say, input }) {
  const { strip, marks, show } = createStrip(input.theme.sequential);
  const unreachable = el("span", { class: "blank", hidden: true }, el("i", { class: "unreachable" }), say("unreachable"));
  const name = el("span"), unnumbered = createUnnumbered(say);
  return {
    element: el("div", { class: "legend" }, name, el("div", {}, strip, marks), unreachable, unnumbered.element),
    showLeast: unnumbered.show,
    show(darkest, scale, isCut, isCausal = false) {
      name.textContent = say("weight");
      show(weightLabels(darkest, scale, isCut));
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

/** The labels of the strip. @returns {[number, string][]} isCut: larger weights have the darkest colour, too. */
export const weightLabels = (darkest, scale, isCut) => (
  ticks(darkest, scale).map((weight) => [share(weight, darkest, scale),
    `${isCut && weight === darkest ? "≥ " : ""}${formatWeight(weight)}`]));

/** Two significant digits, without an exponent. */
export function formatWeight(weight) {
  return weight === 0 || weight >= 0.001 ? String(Number(weight.toPrecision(2))) : weight.toFixed(5);
}
