// A colour scale as a strip, with labels below it.

import { el } from "./dom.js";

/** `{ strip, marks, show(labels) }`; labels: `[position, text]`, positions from 0 to 1. */
export function createStrip(stops) {
  const marks = el("div", { class: "marks" });
  const strip = el("div", { class: "strip", style: `background:linear-gradient(90deg,${stops.join(",")})` });
  const mark = ([position, text]) => el("span", { style: `left:${100 * position}%` }, text);
  return { strip, marks, show: (labels) => marks.replaceChildren(...labels.map(mark)) };
}
