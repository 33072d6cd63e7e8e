// Rotary positions as one can see them: some pairs of dimensions of query and key, from the fastest to the slowest, as arrows
// before and after they are turned. Of the pairs after it, only the angle between them counts.

import { el } from "../shared/dom.js";
import { pairOf } from "./arithmetic.js";
import { number } from "./numbers.js";

const SVG = "http://www.w3.org/2000/svg";
const RADIUS = 44, ARC = 0.55; // of a circle in a picture from −50 to 50; of an arc in it

/** The pairs that are drawn: the first, the second, the fourth, the eighth …: each turns much slower than the one before. */
export function shownPairs(count) {
  const pairs = [];
  for (let pair = 1; pair <= count; pair *= 2) pairs.push(pair - 1);
  return pairs;
}

/** An angle in radians as degrees. */
const degrees = (angle) => `${number((angle * 180) / Math.PI)}°`;

/** The product of two arrows: what a pair adds to the score. */
const product = ([a, b], [c, d]) => a * c + b * d;

/**
 * `{ element, show(at) }`. tokens: by `query` and `key`, name and vectors `before` and `after` (d); positions: theirs, from 0;
 * frequencies (d/2), in radians. point(dimension): another pair.
 */
export function createPairs({ tokens, positions, frequencies }, say, point) {
  const count = frequencies.length, shown = shownPairs(count), distance = Math.abs(positions.query - positions.key);
  const equation = el("p", { class: "equation", role: "status" });
  const arrowsOf = (pair) => Object.fromEntries(Object.entries(tokens).map(([side, { before, after }]) => (
    [side, { before: pairOf(before, pair, count), after: pairOf(after, pair, count) }])));

  /** Position × frequency. */
  const turned = (position, pair) => (position && frequencies[pair]
    ? `${position} × ${degrees(frequencies[pair])} = ${degrees(position * frequencies[pair])}` : say("unturned"));

  const columns = shown.map((pair) => {
    const arrows = arrowsOf(pair), { query, key } = arrows;
    const alone = (side) => cell([circle(arc(arrows[side].before, positions[side] * frequencies[pair], side),
      arrow(arrows[side].before, `${side} before`), arrow(arrows[side].after, side)), turned(positions[side], pair)]);
    const both = cell([circle(arrow(query.after, "query"), arrow(key.after, "key")), turned(distance, pair),
      say("pair_product", { before: number(product(query.before, key.before)), after: number(product(query.after, key.after)) })]);
    const heading = el("span", { class: "pair" }, el("b", {}, say("pair", { pair: pair + 1 })),
      frequencies[pair] ? el("small", {}, say("per_position", { angle: degrees(frequencies[pair]) })) : null);
    const column = [heading, alone("query"), alone("key"), both];
    for (const element of column) element.addEventListener("pointerenter", () => point(pair));
    return { pair, column };
  });
  const label = (side, text, detail) => el("span", { class: "label" }, el("b", { class: side }, text), el("small", {}, detail));
  const labels = [el("span"), ...["query", "key"].map((side) => label(side, tokens[side].name, say("position_of", { position: positions[side] }))),
    label("", say("pairs_together"), say("distance_of", { distance }))];
  const rows = labels.flatMap((first, row) => [first, ...columns.map(({ column }) => column[row])]);
  const element = el("div", { class: "rotation" },
    el("p", { class: "legend" }, el("i", { class: "before" }), say("before"), el("i"), say("after_rotation")),
    el("div", { class: "scroll" }, el("div", { class: "pairs", style: `--pairs:${shown.length}` }, ...rows)), equation);

  return {
    element,
    show({ d }) {
      const pair = d < 2 * count ? d % count : -1;
      for (const { pair: other, column } of columns) for (const part of column) part.classList.toggle("pointed", other === pair);
      if (pair < 0) {
        equation.textContent = say("dimension_unturned", { dimension: d + 1 });
        return;
      }
      const { query, key } = arrowsOf(pair);
      equation.textContent = say("pair_equation", { pair: pair + 1, first: pair + 1, second: pair + 1 + count,
        q: written(query.before), rotated_q: written(query.after), k: written(key.before), rotated_k: written(key.after),
        before: number(product(query.before, key.before)), after: number(product(query.after, key.after)) });
    },
  };
}

const written = ([x, y]) => `(${number(x)}, ${number(y)})`;

/** A picture, with lines of text below it. */
const cell = ([picture, ...lines]) => el("span", { class: "turn" }, picture, ...lines.map((line) => el("small", {}, line)));

/** A picture of parts in a circle, for the eye alone: the numbers are beside it. */
function circle(...parts) {
  const picture = shape("svg", { viewBox: "-50 -50 100 100", "aria-hidden": "true" });
  picture.append(shape("circle", { r: RADIUS, class: "outline" }), ...parts);
  return picture;
}

/** An arrow to the circle: of a pair its direction alone is drawn, counter-clockwise from the right. */
function arrow([x, y], name) {
  const group = shape("g", { class: name, transform: `rotate(${(-Math.atan2(y, x) * 180) / Math.PI})` });
  group.append(shape("line", { x1: 0, y1: 0, x2: RADIUS - 9, y2: 0 }), shape("path", { d: `M ${RADIUS} 0 l -12 -5 v 10 z` }));
  return group;
}

/** The way from an arrow on by an angle, without whole turns. */
function arc([x, y], angle, name) {
  const begin = Math.atan2(y, x), part = angle % (2 * Math.PI), radius = RADIUS * ARC;
  const at = (direction) => `${(radius * Math.cos(direction)).toFixed(2)} ${(-radius * Math.sin(direction)).toFixed(2)}`;
  return shape("path", { class: `arc ${name}`, d: `M ${at(begin)} A ${radius} ${radius} 0 ${part > Math.PI ? 1 : 0} 0 ${at(begin + part)}` });
}

function shape(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
