// Numbers of each class as a table.

import { el } from "../shared/dom.js";
import { hueOfClass } from "../shared/theme.js";

/**
 * labels: of the rows; columns: `[title, values, format]`; predicted: the row in bold, null for none; isOfTokens: the classes
 * are tokens of a vocabulary, the likeliest of which have no hues of their own.
 */
export function createTable({ labels, columns, predicted, isOfTokens }) {
  const hue = (index) => (labels.length === 2 ? `var(--${index ? "last" : "first"})` : hueOfClass(index));
  return el("div", { class: "scroll" }, el("table", {},
    el("thead", {}, el("tr", {}, el("td"), ...columns.map(([title]) => el("th", { scope: "col" }, title)))),
    el("tbody", {}, ...labels.map((label, index) => el("tr", { class: index === predicted ? "predicted" : "" },
      el("th", { scope: "row" }, isOfTokens ? null : el("i", { class: "hue", style: `background:${hue(index)}` }), label),
      ...columns.map(([, values, format]) => el("td", {}, format(values[index]))))))));
}
