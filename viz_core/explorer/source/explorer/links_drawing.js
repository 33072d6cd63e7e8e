// Draws the part of the links that is seen: curves from query to key, as wide and as opaque as their weight is large.

import { linksOf, MOST } from "./links_layout.js";
import { drawBeyond, drawHeader, drawNames, drawNumbers } from "./links_names.js";

const FADED = 0.18; // of their opacity: other links while one token's are looked into
const OUTSIDE = 0.4; // of their opacity: links with an end that is not seen
const SHADES = 8; // of those
const ALIKE = 3; // px: of those, ends that are no farther apart are drawn once
const FAR = 0.5; // of the height of what is seen: the farthest that an end is drawn outside
const SLIGHT = 0.01; // a link that is pointed at is drawn as wide as for this weight at least
const THINNEST = 0.9, THICKEST = 0.34; // px; times the height of a row

/**
 * scene: `layout` (columnsOf in links_layout.js, and the size of what is seen) and `scrolled`, px; `theme`, `units`,
 * `pair`; `map`; `list`: the units of each side; `each`, `colours`, `ranked`: the map, colour and strongest links of
 * each head; `count` links of each query; `focus`: the token that is looked into, `{ side, unit }`; `query`, `key`:
 * selected units; `pointed`: one link, `{ query, key }`; `alone`: the only head to draw (all of these or null); `said`:
 * the words in the header; `kept`: names as they were cut.
 *
 * Width and opacity follow the square root of a weight, not its share of the largest: the same weight looks the same
 * for every head and text, and a head that looks everywhere alike stays pale.
 */
export function drawScene(pen, scene) {
  const { layout, map, focus } = scene, heads = [...scene.each.keys()].filter((head) => (scene.alone ?? head) === head);
  const links = map && focus ? linksOf(map, focus) : [];
  pen.save();
  pen.beginPath();
  pen.rect(0, layout.header, layout.width, layout.height - layout.header);
  pen.clip();
  for (const head of heads) drawStrongest(pen, scene, head, links.length > 0);
  if (links.length) for (const head of heads) drawFocus(pen, scene, head);
  if (map && scene.pointed) for (const head of heads) drawPointed(pen, scene, head);
  pen.globalAlpha = 1;
  for (const side of ["query", "key"]) drawNames(pen, scene, side, links);
  if (links.length) {
    drawNumbers(pen, scene, links);
    drawBeyond(pen, scene, links);
  }
  pen.restore();
  drawHeader(pen, scene, (at, width, weight, colour) => drawSample(pen, scene, at, width, weight, colour));
}

/**
 * The strongest links of every query that is seen, and as a quiet shade those that come from others. Links that only
 * pass through are left out: nothing that is seen says where they belong.
 */
function drawStrongest(pen, scene, head, behind) {
  const map = scene.each[head], columns = map.keys.length, opacity = behind ? FADED : 1, coming = [];
  pen.strokeStyle = scene.colours[head];
  for (let row = 0; row < map.queries.length; row++) for (let rank = 0; rank < scene.count; rank++) {
    const column = scene.ranked[head][row * MOST + rank];
    if (column < 0) break;
    const link = { row, column, weight: map.weights[row * columns + column] };
    if (isSeen(scene, row)) drawLink(pen, scene, head, link, (0.2 + 0.6 * Math.sqrt(link.weight)) * opacity);
    else if (!behind && isSeen(scene, column)) coming.push(link);
  }
  drawOutside(pen, scene, head, coming);
}

/** Every link of the token that is looked into; the strongest last, on top of the others. */
function drawFocus(pen, scene, head) {
  const links = linksOf(scene.each[head], scene.focus).reverse();
  const inside = ({ row, column }) => isSeen(scene, row) && isSeen(scene, column);
  pen.strokeStyle = scene.colours[head];
  drawOutside(pen, scene, head, links.filter((link) => !inside(link)));
  for (const link of links.filter(inside)) drawLink(pen, scene, head, link, 0.3 + 0.7 * Math.sqrt(link.weight));
}

/** The one link that is pointed at in another view. */
function drawPointed(pen, scene, head) {
  const { map, each, pointed, theme } = scene, row = map.rowOf[pointed.query], column = map.columnOf[pointed.key];
  if (!(row >= 0) || !(column >= 0)) return;
  pen.strokeStyle = each.length > 1 ? scene.colours[head] : theme.ink;
  const weight = each[head].weights[row * map.keys.length + column];
  drawLink(pen, scene, head, { row, column, weight: Math.max(weight, SLIGHT) }, 1);
}

/**
 * Links that leave what is seen: one path a shade, or hundreds of them would add up to more than any weight is; and of
 * those that would lie on each other, one.
 */
function drawOutside(pen, scene, head, links) {
  const shades = [];
  for (const { row, column, weight } of links) {
    const ends = endsOf(scene, head, row, column), [from, to] = ends.map((along) => Math.round(along / ALIKE));
    (shades[Math.ceil(Math.sqrt(weight) * SHADES)] ??= new Map()).set(from * 1e4 + to, ends);
  }
  shades.forEach((different, shade) => {
    const share = shade / SHADES;
    stroke(pen, scene, share, (0.2 + 0.6 * share) * OUTSIDE, () => {
      for (const ends of different.values()) addCurve(pen, scene, ends);
    });
  });
}

function drawLink(pen, scene, head, { row, column, weight }, opacity) {
  stroke(pen, scene, Math.sqrt(weight), opacity, () => addCurve(pen, scene, endsOf(scene, head, row, column)));
}

/** A straight piece of a link of this weight, for the legend. */
function drawSample(pen, scene, { left, along }, width, weight, colour) {
  pen.strokeStyle = colour;
  stroke(pen, scene, Math.sqrt(weight), 0.2 + 0.6 * Math.sqrt(weight), () => {
    pen.moveTo(left, along);
    pen.lineTo(left + width, along);
  });
  pen.globalAlpha = 1;
}

/** Strokes what `trace` adds to a path, as wide as a share (the square root of a weight) asks. */
function stroke(pen, { layout, each }, share, opacity, trace) {
  pen.globalAlpha = opacity;
  pen.lineWidth = THINNEST + share * layout.row * THICKEST / Math.sqrt(each.length || 1);
  pen.beginPath();
  trace();
  pen.stroke();
}

/** How far down a link begins and ends, in px. Heads run side by side, so that none hides another. */
function endsOf({ layout, scrolled, each }, head, row, column) {
  const apart = (head - (each.length - 1) / 2) * Math.min(3, (layout.row * 0.6) / each.length);
  return [row, column].map((place) => nearby(layout.placeOf(place, scrolled), layout) + apart);
}

function addCurve(pen, { layout }, [from, to]) {
  const { left, right } = layout, middle = (left + right) / 2;
  pen.moveTo(left, from);
  pen.bezierCurveTo(middle, from, middle, to, right, to);
}

function isSeen({ layout, scrolled }, place) {
  const along = layout.placeOf(place, scrolled);
  return along > layout.header && along < layout.height;
}

/** Far ends are drawn nearer than they are, so that links leave what is seen at an angle that tells their direction. */
function nearby(along, { header, height }) {
  const over = along < header ? along - header : Math.max(along - height, 0), limit = (height - header) * FAR;
  return along - over + over / (1 + Math.abs(over) / limit);
}
