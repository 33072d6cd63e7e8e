// Every head as a dot between two of its statistics, with 95% intervals and a cross for a uniform head.

/** @import { Label } from "./labels.js" */

import { cutName } from "../shared/names.js";
import { remember } from "../shared/remember.js";
import { section } from "../shared/section.js";
import { centreOf, collide, fitting, widthOf } from "./labels.js";
import { colouring, labelOf, rangeOf, ticksOf, write } from "./measures.js";

const SVG = "http://www.w3.org/2000/svg";
const FLATTEST = 0.8; // height over width
const NEAR = 28; // px: a pointer this near to a dot points at it

function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** `{ element, draw(state), at(event) }`; at: the head that a pointer points at, null for none. */
export function createScatter({ atlas, say, store, titleOf }) {
  const { theme, measures } = atlas, { text, small } = theme, radius = text * 0.45;
  const names = Array.from(measures.entropy.values, (_, index) => cutName(labelOf(atlas, index)));
  const plot = svg("svg", { role: "img" }), { element, note } = section({ name: "scatter", title: say("scatter") }, plot);
  /** @type {[x: number, y: number][]} of the dots, px */
  let places = [];
  /** @type {Label[]} the cross with its name, if there is one */
  let taken = [];
  new ResizeObserver(() => store.touch()).observe(element);

  const paint = remember((across, down, colour, width) => {
    const [x, y] = [measures[across], measures[down]], { fill } = colouring(atlas, colour);
    const height = Math.round(width * FLATTEST), left = small * 4.2, below = small * 3.8, above = small * 1.6, right = small * 1.6;
    taken = [];
    const control = x.uniform === null || y.uniform === null ? null : [x.uniform, y.uniform];
    const xs = rangeOf([...x.values, ...(control ? [control[0]] : [])]), ys = rangeOf([...y.values, ...(control ? [control[1]] : [])]);
    const placeX = (value) => left + ((value - xs[0]) / (xs[1] - xs[0])) * (width - left - right);
    const placeY = (value) => height - below - ((value - ys[0]) / (ys[1] - ys[0])) * (height - above - below);
    places = x.values.map((value, index) => [placeX(value), placeY(y.values[index])]);
    const line = (x1, y1, x2, y2, name) => svg("line", { x1, y1, x2, y2, class: name });
    const label = (content, attributes) => svg("text", attributes, content);
    const grid = [
      ...ticksOf(xs).flatMap((tick) => [line(placeX(tick), above, placeX(tick), height - below, "rule"),
        label(write(x.unit, tick), { x: placeX(tick), y: height - below + small * 1.4, "text-anchor": "middle" })]),
      ...ticksOf(ys).flatMap((tick) => [line(left, placeY(tick), width - right, placeY(tick), "rule"),
        label(write(y.unit, tick), { x: left - small * 0.5, y: placeY(tick) + small * 0.35, "text-anchor": "end" })]),
      label(titleOf(across), { x: (left + width - right) / 2, y: height - small * 0.6, "text-anchor": "middle", class: "title" }),
      label(titleOf(down), { transform: `translate(${small} ${(above + height - below) / 2}) rotate(-90)`, "text-anchor": "middle", class: "title" }),
    ];
    const intervals = places.flatMap(([px, py], index) => [
      line(placeX(x.low[index]), py, placeX(x.high[index]), py, "interval"),
      line(px, placeY(y.low[index]), px, placeY(y.high[index]), "interval")]);
    const dots = places.map(([cx, cy], index) => svg("circle", { cx, cy, r: radius, style: `fill:${fill(index)}` }));
    const cross = control ? createCross(placeX(control[0]), placeY(control[1])) : [];
    const shown = fitting(names, places, small, atlas.named, width, taken);
    const labels = [...shown].map((index) => label(names[index],
      { x: centreOf(places[index][0], names[index], small, width), y: places[index][1] - radius - small * 0.35, "text-anchor": "middle", class: "name" }));
    ring.setAttribute("r", String(radius + 3));
    plot.setAttribute("width", String(width));
    plot.setAttribute("height", String(height));
    plot.setAttribute("aria-label", say("scatter_alt", { x: titleOf(across), y: titleOf(down) }));
    plot.replaceChildren(...grid, ...intervals, ...dots, ...cross, ring, ...labels, markedName);
    note.textContent = say(control ? "scatter_note_uniform" : "scatter_note");
  });

  const ring = svg("circle", { class: "ring" }), markedName = svg("text", { class: "name marked", "text-anchor": "middle" });
  const uniform = svg("text", { class: "uniform" }, say("uniform"));

  function createCross(x, y) {
    const gap = small * 0.8, width = 5 + gap + widthOf(say("uniform"), small);
    taken = [{ x: x - 5 + width / 2, y: y + radius + small * 0.7, width }];
    uniform.setAttribute("x", String(x + gap));
    uniform.setAttribute("y", String(y + small * 0.35));
    return [svg("path", { class: "cross", d: `M${x} ${y}m-5-5l10 10m0-10l-10 10` }), uniform];
  }

  /** Its name, too, is never printed over that of the cross. */
  function mark(head) {
    const [x, y] = places[head], middle = centreOf(x, names[head], small, Number(plot.getAttribute("width")));
    const isCovered = taken.some((label) => collide(label, { x: middle, y, width: widthOf(names[head], small) }, small));
    uniform.style.visibility = isCovered ? "hidden" : "visible";
    ring.setAttribute("cx", String(x));
    ring.setAttribute("cy", String(y));
    markedName.textContent = names[head];
    markedName.setAttribute("x", String(middle));
    markedName.setAttribute("y", String(y - radius - small * 0.35));
  }

  return {
    element,
    draw({ x, y, colour, head }) {
      paint(x, y, colour, Math.min(element.clientWidth || theme.side, theme.side));
      mark(head);
    },
    at(event) {
      const box = plot.getBoundingClientRect(), [x, y] = [event.clientX - box.left, event.clientY - box.top];
      const distances = places.map(([px, py]) => Math.hypot(px - x, py - y)), nearest = Math.min(...distances);
      return nearest <= NEAR ? distances.indexOf(nearest) : null;
    },
  };
}
