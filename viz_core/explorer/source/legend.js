// The colours from 0 to the largest weight, labelled with true weights.

import { weightAt } from "./colours.js";
import { el } from "./dom.js";

const MARKS = [0, 0.25, 0.5, 0.75, 1];

/** `{ element, show(largest, scale) }` */
export function createLegend({ say, input }) {
  const marks = el("div", { class: "marks" });
  const strip = el("div", { class: "strip", style: `background:linear-gradient(90deg,${input.theme.sequential.join(",")})` });
  return {
    element: el("div", { class: "legend" }, el("span", {}, say("weight")), el("div", {}, strip, marks)),
    show: (largest, scale) => marks.replaceChildren(...MARKS.map((place) => el("span", { style: `left:${place * 100}%` },
      written(weightAt(place, largest, scale))))),
  };
}

/** Two digits that count, without an exponent. */
function written(weight) {
  return weight === 0 || weight >= 0.001 ? String(Number(weight.toPrecision(2))) : weight.toFixed(5);
}
