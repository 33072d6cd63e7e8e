// The colours of a scale as a strip, with labels below it.

import { el } from "./dom.js";

/** `{ strip, marks, show(labels) }`; labels: `[share of the strip's length, text]`. */
export function createStrip(stops) {
  const marks = el("div", { class: "marks" });
  const strip = el("div", { class: "strip", style: `background:linear-gradient(90deg,${stops.join(",")})` });
  const mark = ([place, text]) => el("span", { style: `left:${100 * place}%` }, text);
  return { strip, marks, show: (labels) => marks.replaceChildren(...labels.map(mark)) };
}
