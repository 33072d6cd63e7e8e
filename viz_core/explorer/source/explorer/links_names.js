// Draws the texts beside the links: names of queries and keys, the weights of one token's links, and the header.

import { colourAt } from "../shared/colours.js";
import { fitText } from "./canvas.js";

const NUMBERED = 8; // strongest links of a token that show their weight
const SAMPLES = [0.01, 0.1, 0.5]; // weights in the legend
const SAMPLE = 22; // px

/** Draws the visible names of one side; while a token is in focus, from muted to ink as its links to them are strong. */
export function drawNames(pen, scene, side, links) {
  const { layout, scrolled, sides, theme, focus } = scene, list = scene.list[side];
  const axis = side === "query" ? "row" : "column", other = links.length > 0 && focus.side !== side;
  const weights = new Map(other ? links.map((link) => [link[axis], link.weight]) : []);
  const strength = (index) => (other ? Math.sqrt((weights.get(index) ?? 0) / links[0].weight) : 0);
  const first = Math.max(Math.floor(scrolled / layout.row), 0);
  const last = Math.min(Math.ceil((scrolled + layout.height - layout.header) / layout.row), list.length);
  for (let index = first; index < last; index++) {
    const unit = list[index], along = layout.offsetOf(index, scrolled), group = sides[side].groups[unit];
    if (scene.pair && group >= 0) drawStripe(pen, scene, side, along, group);
    const ink = group < 0 ? theme.muted : links.length ? colourAt([theme.muted, theme.ink], strength(index)) : theme.ink;
    drawName(pen, scene, side, unit, along, markOf(scene, side, unit) ?? { ink, fill: null });
  }
}

/** The highlight of a name: selected names on the colour of their side, hovered names on a subtle background. */
function markOf({ theme, focus, hoveredLink, ...selected }, side, unit) {
  if (unit === selected[side]) return { ink: theme.background, fill: theme[side] };
  if (focus?.side === side && focus.unit === unit) return { ink: theme[side], fill: theme.surface };
  if (hoveredLink?.[side] === unit) return { ink: theme.ink, fill: theme.surface };
  return null;
}

function drawName(pen, { layout, theme, sides, fittedNames }, side, unit, along, { ink, fill }) {
  const { row, names, inner } = layout, size = theme.small, key = `${side}${unit}${fill ? "bold" : ""}`;
  pen.font = `${fill ? 600 : 400} ${size}px ${theme.font}`;
  if (!fittedNames.has(key)) fittedNames.set(key, fitText(pen, sides[side].labels[unit], names[side]));
  const text = fittedNames.get(key);
  if (fill) {
    const width = pen.measureText(text).width, left = side === "query" ? inner.query - width : inner.key;
    drawBackground(pen, left - 4, along, width + 8, Math.min(size * 1.5, row - 1), fill);
  }
  write(pen, text, inner[side], along, side === "query" ? "right" : "left", ink);
}

/** Draws the colour of a unit's text, between its name and its links. */
function drawStripe(pen, { layout, theme }, side, along, group) {
  pen.fillStyle = theme.groups[group + 1];
  pen.fillRect(side === "query" ? layout.left - 4 : layout.right + 1, along - layout.row / 2, 3, layout.row);
}

/** Draws the weights of the strongest links beside the names at their other end, right-aligned. */
export function drawNumbers(pen, scene, links) {
  const { layout, scrolled, theme, focus } = scene, side = focus.side === "query" ? "key" : "query";
  const edge = layout.outer[side];
  if (!layout.numbers[side]) return;
  pen.font = numberFont(theme);
  links.slice(0, NUMBERED).forEach((link, rank) => {
    const along = layout.offsetOf(side === "key" ? link.column : link.row, scrolled);
    write(pen, digits(link, links, scene), edge, along, "right", rank ? theme.muted : theme.ink);
  });
}

/** Draws, with arrows, the strongest links to names scrolled out of view above and below. */
export function drawBeyond(pen, scene, links) {
  const { layout, scrolled, theme, focus, sides, list } = scene;
  const side = focus.side === "query" ? "key" : "query", { header, height, row } = layout;
  const along = (link) => layout.offsetOf(side === "key" ? link.column : link.row, scrolled);
  const strong = links.slice(0, NUMBERED);
  const beyond = [["↑", header + row * 0.7, strong.find((link) => along(link) < header)],
    ["↓", height - row * 0.7, strong.find((link) => along(link) > height)]];
  pen.font = numberFont(theme);
  for (const [arrow, at, link] of beyond) {
    if (!link) continue;
    const name = fitText(pen, sides[side].labels[list[side][side === "key" ? link.column : link.row]],
      layout.names[side]);
    const text = `${arrow} ${name} ${digits(link, links, scene)}`, width = pen.measureText(text).width;
    const left = side === "key" ? layout.right - width - 12 : layout.left + 12;
    drawBackground(pen, left - 6, at, width + 12, theme.small * 1.5, theme.surface);
    write(pen, text, left, at, "left", theme.ink);
  }
}

/** The font of the numbers, slightly smaller than names. */
export const numberFont = (theme) => `${Math.round(theme.small * 0.92)}px ${theme.font}`;

/** A weight, with the same number of digits for all links of a token; with its sign if it is a difference. */
function digits({ row, column, weight }, links, { changes, list }) {
  const sign = !changes ? "" : changes[row * list.key.length + column] < 0 ? "−" : "+";
  return sign + weight.toFixed(links[0].weight >= 0.02 ? 3 : 4);
}

/** Draws the titles of the columns and, if there is space, a legend of weights (`drawSample` draws a line of it). */
export function drawHeader(pen, { layout, scrolled, theme, labels, maps, colours, unit }, drawSample) {
  const { left, right, header, width, inner, names, numbers } = layout, along = header / 2 - 1;
  pen.font = `600 ${theme.small}px ${theme.font}`;
  for (const side of ["query", "key"]) {
    const room = names[side] + numbers[side], text = fitText(pen, labels[side], room + (right - left) / 4);
    const beyond = Math.max(pen.measureText(text).width - room, 0); // a title longer than the names is over the links
    const at = inner[side] + (side === "query" ? beyond : -beyond);
    write(pen, text, at, along, side === "query" ? "right" : "left", theme[side]);
  }
  pen.font = numberFont(theme);
  const samples = SAMPLES.map((share) => Number((share * unit).toPrecision(2)));
  const legend = samples.map(String), gap = theme.small;
  const long = (text) => pen.measureText(text).width + gap;
  const whole = long(labels.weight) + legend.reduce((sum, text) => sum + SAMPLE + 5 + long(text), -gap);
  if (maps.length && whole + 2 * gap < right - left) {
    let at = (left + right - whole) / 2;
    write(pen, labels.weight, at, along, "left", theme.muted);
    at += long(labels.weight);
    legend.forEach((text, index) => {
      drawSample({ left: at, along }, SAMPLE, samples[index], maps.length > 1 ? theme.muted : colours[0]);
      write(pen, text, at + SAMPLE + 5, along, "left", theme.muted);
      at += SAMPLE + 5 + long(text);
    });
  }
  if (scrolled < 1) return; // the line shows that there are rows above
  pen.fillStyle = theme.line;
  pen.fillRect(0, header - 1, width, 1);
}

/** Draws the legend from left to right, for a saved picture. layers: `{ name, colour }`. */
export function drawHues(pen, theme, layers, along) {
  let at = theme.small;
  pen.font = `600 ${theme.small}px ${theme.font}`;
  for (const { name, colour } of layers) {
    pen.fillStyle = colour;
    pen.fillRect(at, along - 1.5, SAMPLE, 3);
    write(pen, name, at + SAMPLE + 5, along, "left", theme.ink);
    at += SAMPLE + 5 + pen.measureText(name).width + theme.small;
  }
}

function drawBackground(pen, left, along, width, height, fill) {
  pen.fillStyle = fill;
  pen.beginPath();
  pen.roundRect(left, along - height / 2, width, height, 3);
  pen.fill();
}

function write(pen, text, at, along, align, ink) {
  pen.textAlign = align;
  pen.textBaseline = "middle";
  pen.fillStyle = ink;
  pen.fillText(text, at, along + 0.5);
}
