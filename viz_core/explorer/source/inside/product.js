// A vector times a matrix, so that every number of the result can be followed: row × column, and their sum.

import { dot, products } from "./arithmetic.js";
import { el } from "../shared/dom.js";
import { number, term } from "./numbers.js";
import { limitOf, paintSigned } from "./paint.js";

/**
 * part: `{ side, title, axis, rowAxis, matrix: { symbol, values, bias, isBiased, x, xSymbol, xLabel, result, resultLabel, names } }`;
 * bias: zeros where the model has none, of which nothing is then said.
 */
export function createProduct({ side, title, axis, rowAxis, matrix }, theme, say) {
  const { symbol, values, bias, isBiased, x, xSymbol = "x", xLabel, result, resultLabel, names } = matrix, columns = x.length;
  const image = (label, data, width, axes) => {
    const canvas = el("canvas", { role: "img", "aria-label": label, ...axes });
    paintSigned(canvas, data, width, limitOf(data), theme.diverging);
    return canvas;
  };
  const vector = image(xLabel, x, columns, { "data-axis": axis });
  const weights = image(symbol, values, columns, { "data-axis": axis, "data-row-axis": rowAxis });
  const results = image(resultLabel, result, 1, { "data-axis": "", "data-row-axis": rowAxis });
  const row = el("span", { class: "strip products" }), equation = el("p", { class: "equation", role: "status" });
  const [xValue, wValue, productValue] = [0, 1, 2].map(() => el("output", { class: "figure" }));
  const where = el("span", { class: "where" }), productLabel = el("span", { class: "label" });
  const element = el("div", { class: "strips product", style: `--rows:${result.length}` },
    el("span"), el("span", { class: `title ${side ?? ""}` }, title), el("span", { class: "scale" }, say("product_hint", { x: xSymbol })), where,
    el("span"), el("span", { class: "label" }, `${xSymbol} · ${xLabel}`), el("span", { class: "strip" }, vector), xValue,
    el("span", { class: "sign" }, "×"), el("span", { class: "label" }, `${symbol}ᵀ `, el("small", {}, `${result.length} × ${columns}`)),
    el("span", { class: "strip tall" }, weights, el("i", { class: "row" })), el("span", { class: "strip tall results" }, results, el("i", { class: "row" })),
    el("span", { class: "sign" }, "="), productLabel, row, productValue,
    el("i", { class: "at" }), equation);

  return {
    element,
    show(at) {
      const [m, j] = [at[axis], at[rowAxis]], weightsOfRow = values.subarray(j * columns, (j + 1) * columns);
      const each = products(x, weightsOfRow), sum = dot(x, weightsOfRow), name = names ? names[j] : j + 1;
      const canvas = image(say("products"), each, columns, { "data-axis": axis });
      row.replaceChildren(canvas);
      element.style.setProperty("--at", (m + 0.5) / columns);
      element.style.setProperty("--cell", 1 / columns);
      element.style.setProperty("--row", j);
      where.textContent = say("dimension_short", { dimension: m + 1 });
      xValue.textContent = number(x[m]);
      wValue.textContent = number(weightsOfRow[m]);
      productLabel.textContent = say("products_of", { name: names ? name : `${resultLabel}(${name})` });
      productValue.textContent = number(each[m]);
      equation.textContent = say(isBiased ? "product_equation" : "product_equation_unbiased", { symbol: `${resultLabel}(${name})`, m: m + 1, x: term(x[m]), w: term(weightsOfRow[m]),
        product: number(each[m]), count: columns, sum: number(sum), bias: term(bias[j]), result: number(sum + bias[j]) });
    },
  };
}
