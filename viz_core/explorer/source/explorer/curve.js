// How the weight adds up from the largest token on.

import { el } from "../shared/dom.js";
import { holders } from "./attention.js";

export const SHARE = 0.9; // of the weight, that the curve and the sentence above it speak of
const HIGH = 7; // times the height of the type
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500]; // between the counts that are written below

/**
 * How the weight adds up from the largest on: the steeper, the fewer tokens matter. Said by the sentence above it.
 * SVG, not a canvas: a canvas in the page asks for its font, and so makes the browser style everything in mid-drawing.
 */
export function createCurve({ input, say }) {
  const { theme } = input, size = theme.small, high = size * HIGH, top = size * 1.9, left = size * 3.2;
  const svg = shape("svg", { height: top + high + size * 3.2, "font-size": size, "aria-hidden": "true" });
  const element = el("div", { class: "curve" }, svg);
  const y = (share) => top + (1 - share) * high, said = (share) => say("percent", { value: Math.round(share * 100) });
  let width = 0, drawn = null;
  // Told, not asked: asking for the width would make the browser lay out the page in mid-drawing.
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width === width) return;
    width = contentRect.width;
    if (width && drawn) paint(...drawn);
  }).observe(element);

  function paint(rows, total) {
    const right = width - size * 1.2, enough = holders(rows, SHARE);
    const x = (count) => left + (count / rows.length) * (right - left);
    const points = [[left, y(0)], ...rows.map(({ mass }, index) => [x(index + 1), y(mass / total)])];
    const [across, down] = points[enough];
    svg.setAttribute("width", width);
    svg.replaceChildren(
      shape("rect", { x: left, y: top, width: right - left, height: high, fill: "none", stroke: theme.line }),
      ...names(left, right, across), ...counts(x, rows.length, enough),
      shape("path", { d: `${path(points)}V${y(0)}Z`, fill: theme.accent, opacity: 0.12 }),
      shape("path", { d: path(points), fill: "none", stroke: theme.accent, "stroke-width": 2 }),
      shape("path", { d: `M${left} ${y(SHARE)}H${across}M${across} ${down}V${y(0)}`, stroke: theme.ink,
        "stroke-dasharray": "3" }),
      shape("circle", { cx: across, cy: down, r: 4, fill: theme.ink }));
  }

  /** What the axes mean, and the line that the curve would be if every token had the same weight. */
  function names(left, right, across) {
    const start = (left + right) / 2 + size, crossed = across > start - 6 && across < start + size * 6;
    return [
      shape("path", { d: path([[left, y(0)], [right, y(1)]]), stroke: theme.muted }),
      crossed ? written(say("curve_uniform"), across - 6, y(0) - size * 0.5, "end")
        : written(say("curve_uniform"), start, y(0.5) + size * 0.9, "start"),
      written(say("curve_mass"), 0, size, "start"), written(say("curve_count"), right, y(0) + size * 2.9, "end"),
      ...[0, 0.5].map((share) => written(said(share), left - 6, y(share) + (share ? size * 0.35 : 0), "end")),
      written(said(SHARE), left - 6, y(SHARE) + size * 0.35, "end", true),
    ];
  }

  /** The count that was found, and of the round ones those that leave it room. */
  function counts(x, all, enough) {
    const room = (String(all).length * 0.55 + 0.8) * size, step = STEPS.find((one) => x(one) - x(0) > room * 1.5);
    const rounds = Array.from({ length: Math.ceil(all / step) - 1 }, (_, index) => (index + 1) * step);
    const kept = [all, ...rounds.filter((count) => x(all) - x(count) > room)];
    return [...kept.filter((count) => Math.abs(x(enough) - x(count)) > room), enough]
      .map((count) => written(String(count), x(count), y(0) + size * 1.35, "middle", count === enough));
  }

  const written = (text, x, y, anchor, strong = false) => shape("text", {
    x, y, "text-anchor": anchor, fill: strong ? theme.ink : theme.muted, "font-weight": strong ? 600 : 400 }, text);

  return {
    element,
    draw(rows, total) {
      if (drawn?.[0] === rows || !total) return;
      drawn = [rows, total];
      if (width) paint(rows, total);
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
