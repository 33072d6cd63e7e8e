// The cumulative weight, from the largest weight down.

import { el } from "../shared/dom.js";
import { remember } from "../shared/remember.js";
import { countHolding } from "./attention.js";

export const SHARE = 0.9; // of the weight, marked on the curve and stated in the sentence above it
const HIGH = 7; // em
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500]; // possible distances of the tick labels

/**
 * The cumulative weight, from the largest down: the steeper, the fewer tokens hold most of it. The sentence above says
 * the same. SVG, because drawing text on a canvas makes the browser compute styles of the whole page in the middle of a
 * frame.
 */
export function createCurve({ input, say }) {
  const { theme } = input, size = theme.small, high = size * HIGH, top = size * 1.9, left = size * 3.2;
  const svg = shape("svg", { height: top + high + size * 3.2, "font-size": size, "aria-hidden": "true" });
  const element = el("div", { class: "curve" }, svg);
  const y = (share) => top + (1 - share) * high;
  const percent = (share) => say("percent", { value: Math.round(share * 100) });
  /** @type {[object[], number, number[] | null] | null} of the last drawing */
  let last = null;
  let width = 0;
  // Observed, not measured: measuring would make the browser lay out the page in the middle of a frame.
  new ResizeObserver(([{ contentRect }]) => {
    width = contentRect.width;
    if (width && last) paint(...last, width);
  }).observe(element);

  const paint = remember((rows, total, uniform, width) => {
    const right = width - size * 1.2, enough = countHolding(rows, SHARE);
    const x = (count) => left + (count / rows.length) * (right - left);
    const points = [[left, y(0)], ...rows.map(({ mass }, index) => [x(index + 1), y(mass / total)])];
    const [across, down] = points[enough];
    svg.setAttribute("width", width);
    svg.replaceChildren(
      shape("rect", { x: left, y: top, width: right - left, height: high, fill: "none", stroke: theme.line }),
      ...axisLabels(left, right, across, uniform), ...countLabels(x, rows.length, enough),
      shape("path", { d: `${path(points)}V${y(0)}Z`, fill: theme.accent, opacity: 0.12 }),
      shape("path", { d: path(points), fill: "none", stroke: theme.accent, "stroke-width": 2 }),
      shape("path", { d: `M${left} ${y(SHARE)}H${across}M${across} ${down}V${y(0)}`, stroke: theme.ink,
        "stroke-dasharray": "3" }),
      shape("circle", { cx: across, cy: down, r: 4, fill: theme.ink }));
  });

  /** The meaning of the axes, and the curve of a uniform distribution: the diagonal, unless another is given. */
  function axisLabels(left, right, across, uniform) {
    const shares = uniform ?? [1], points = shares.map((share, index) => (
      [left + ((index + 1) / shares.length) * (right - left), y(share)]));
    const start = (left + right) / 2 + size, crossed = across > start - 6 && across < start + size * 6;
    return [
      shape("path", { d: path([[left, y(0)], ...points]), stroke: theme.muted, fill: "none" }),
      crossed ? label(say("curve_uniform"), across - 6, y(0) - size * 0.5, "end")
        : label(say("curve_uniform"), start, y(0.5) + size * 0.9, "start"),
      label(say("curve_mass"), 0, size, "start"), label(say("curve_count"), right, y(0) + size * 2.9, "end"),
      ...[0, 0.5].map((share) => label(percent(share), left - 6, y(share) + (share ? size * 0.35 : 0), "end")),
      label(percent(SHARE), left - 6, y(SHARE) + size * 0.35, "end", true),
    ];
  }

  /** The count at `SHARE`, and as many round counts as fit beside it. */
  function countLabels(x, all, enough) {
    const room = (String(all).length * 0.55 + 0.8) * size, step = STEPS.find((size) => x(size) - x(0) > room * 1.5) ?? all;
    const rounds = Array.from({ length: Math.ceil(all / step) - 1 }, (_, index) => (index + 1) * step);
    const ticks = [all, ...rounds.filter((count) => x(all) - x(count) > room)];
    return [...ticks.filter((count) => Math.abs(x(enough) - x(count)) > room), enough]
      .map((count) => label(String(count), x(count), y(0) + size * 1.35, "middle", count === enough));
  }

  const label = (text, x, y, anchor, strong = false) => shape("text", {
    x, y, "text-anchor": anchor, fill: strong ? theme.ink : theme.muted, "font-weight": strong ? 600 : 400 }, text);

  return {
    element,
    /** uniform: the cumulative shares of a uniform distribution; null for equal ones. */
    draw(rows, total, uniform) {
      if (!total) return;
      last = [rows, total, uniform];
      if (width) paint(...last, width);
    },
  };
}

const path = (points) => `M${points.map(([across, down]) => `${across.toFixed(1)} ${down.toFixed(1)}`).join("L")}`;

function shape(tag, attributes, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(text);
  return element;
}
