// Why scores are divided by √d: what softmax makes of keys whose scores are as far apart as those of random vectors.

import { el } from "../shared/dom.js";
import { softmax } from "./arithmetic.js";

const WIDTHS = [4, 16, 64, 256]; // of a head
// Eight normal quantiles: the products of vectors of d random numbers with variance 1 have the standard deviation √d.
const SPREAD = [-1.534, -0.887, -0.489, -0.157, 0.157, 0.489, 0.887, 1.534];

/** Weights of the eight keys for a width, by softmax of their scores or of the scores divided by √d. */
export const weightsOf = (d, isDivided) => softmax(SPREAD.map((score) => score * (isDivided ? 1 : Math.sqrt(d))));

/** A table: a column for each width, without and with the division; bars of the weights, and the largest. */
export function createWidths(say) {
  const row = (key, isDivided) => el("tr", {}, el("th", { scope: "row" }, say(key)), ...WIDTHS.map((d) => cell(weightsOf(d, isDivided))));
  const table = el("table", { class: "widths" }, el("caption", {}, say("widths")),
    el("thead", {}, el("tr", {}, el("td"), ...WIDTHS.map((d) => el("th", { scope: "col" }, `d = ${d}`)))),
    el("tbody", {}, row("widths_scores", false), row("widths_divided", true)));
  return el("div", { class: "scroll" }, table);
}

function cell(weights) {
  const bars = weights.map((weight) => el("i", { style: `height:${(100 * weight).toFixed(1)}%` }));
  return el("td", {}, el("span", { class: "bars", "aria-hidden": "true" }, ...bars), Math.max(...weights).toFixed(2));
}
