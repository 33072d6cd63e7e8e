// Draws the visible part of the links: curves from query to key whose width and opacity show the weight.

import { linksOf, MOST } from "./links_layout.js";
import { drawBeyond, drawHeader, drawNames, drawNumbers } from "./links_names.js";

const FADED = 0.18; // factor on the opacity of other links while a token is in focus
const OUTSIDE = 0.4; // factor on the opacity of links with an end scrolled out of view
const SHADES = 8; // opacity levels of those links
const MERGED = 3; // px: of those links, ends closer than this are drawn once
const FAR = 0.5; // of the visible height: the farthest that an end is drawn outside
const SLIGHT = 0.01; // a hovered link is drawn at least as wide as for this weight
const THINNEST = 0.9, THICKEST = 0.34; // px; times the height of a row

/**
 * scene: `layout` (columnsOf in links_layout.js, and the visible size) and `scrolled`, px; `theme`, `sides`, `pair`;
 * `map`; `list`: the units of each side; `maps`, `colours`, `ranked`: map, colour and strongest links of each head, or
 * of what became stronger and what became weaker; `changes`: the signed differences of a comparison; `count`: links per
 * query; `focus`: the token whose links are all shown, `{ side, unit }` or null; `query`, `key`: selected units or
 * null; `hoveredLink`: `{ query, key }` or null; `soloHead`: index of the only head to draw, or null; `labels`: texts
 * of the header; `unit`: of norms the largest, 1 of weights; `fittedNames`: cache of names cut to fit.
 *
 * Width and opacity follow the square root of the weight itself, not relative to the largest: the same weight is drawn
 * the same in every head and text, and a uniform head stays pale.
 */
export function drawScene(pen, scene) {
  const { layout, map, focus } = scene;
  const heads = [...scene.maps.keys()].filter((head) => (scene.soloHead ?? head) === head);
  const links = map && focus ? linksOf(map, focus) : [];
  pen.save();
  pen.beginPath();
  pen.rect(0, layout.header, layout.width, layout.height - layout.header);
  pen.clip();
  for (const head of heads) drawStrongest(pen, scene, head, links.length > 0);
  if (links.length) for (const head of heads) drawFocus(pen, scene, head);
  if (map && scene.hoveredLink) for (const head of heads) drawHovered(pen, scene, head);
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
 * Draws the strongest links of every visible query and, faintly, those that lead here from others. Links that only pass
 * through are left out, since neither end would be visible.
 */
function drawStrongest(pen, scene, head, behind) {
  const map = scene.maps[head], columns = map.keys.length, opacity = behind ? FADED : 1, incoming = [];
  pen.strokeStyle = scene.colours[head];
  for (let row = 0; row < map.queries.length; row++) for (let rank = 0; rank < scene.count; rank++) {
    const column = scene.ranked[head][row * MOST + rank];
    if (column < 0) break;
    const link = { row, column, weight: map.weights[row * columns + column] };
    if (isVisible(scene, row)) drawLink(pen, scene, head, link, (0.2 + 0.6 * shareOf(scene, link.weight)) * opacity);
    else if (!behind && isVisible(scene, column)) incoming.push(link);
  }
  drawOutside(pen, scene, head, incoming);
}

/** Draws every link of the token in focus, the strongest on top. */
function drawFocus(pen, scene, head) {
  const links = linksOf(scene.maps[head], scene.focus).reverse();
  const inside = ({ row, column }) => isVisible(scene, row) && isVisible(scene, column);
  pen.strokeStyle = scene.colours[head];
  drawOutside(pen, scene, head, links.filter((link) => !inside(link)));
  for (const link of links.filter(inside)) drawLink(pen, scene, head, link, 0.3 + 0.7 * shareOf(scene, link.weight));
}

/** Draws the link hovered over in another view. */
function drawHovered(pen, scene, head) {
  const { map, maps, hoveredLink, theme } = scene;
  const row = map.rowOf[hoveredLink.query], column = map.columnOf[hoveredLink.key];
  if (!(row >= 0) || !(column >= 0)) return;
  pen.strokeStyle = maps.length > 1 ? scene.colours[head] : theme.ink;
  const weight = maps[head].weights[row * map.keys.length + column];
  drawLink(pen, scene, head, { row, column, weight: Math.max(weight, SLIGHT * scene.unit) }, 1);
}

/**
 * Draws links that leave the visible part: one path per opacity level, so that hundreds of faint links do not add up to
 * a strong one; links that would overlap are drawn once.
 */
function drawOutside(pen, scene, head, links) {
  const shades = [];
  for (const { row, column, weight } of links) {
    const ends = endsOf(scene, head, row, column), [from, to] = ends.map((along) => Math.round(along / MERGED));
    (shades[Math.ceil(shareOf(scene, weight) * SHADES)] ??= new Map()).set(from * 1e4 + to, ends);
  }
  shades.forEach((distinct, shade) => {
    const share = shade / SHADES;
    stroke(pen, scene, share, (0.2 + 0.6 * share) * OUTSIDE, () => {
      for (const ends of distinct.values()) addCurve(pen, scene, ends);
    });
  });
}

function drawLink(pen, scene, head, { row, column, weight }, opacity) {
  stroke(pen, scene, shareOf(scene, weight), opacity, () => addCurve(pen, scene, endsOf(scene, head, row, column)));
}

/** Draws a straight line as for a link of this weight, for the legend. */
function drawSample(pen, scene, { left, along }, width, weight, colour) {
  pen.strokeStyle = colour;
  const share = shareOf(scene, weight);
  stroke(pen, scene, share, 0.2 + 0.6 * share, () => {
    pen.moveTo(left, along);
    pen.lineTo(left + width, along);
  });
  pen.globalAlpha = 1;
}

/** What sets width and opacity of a link: the square root of its weight, of norms relative to the largest. */
const shareOf = ({ unit }, weight) => Math.sqrt(weight / unit);

/** Strokes what `trace` adds to the path; share: of `shareOf`, which sets the width. */
function stroke(pen, { layout, maps }, share, opacity, trace) {
  pen.globalAlpha = opacity;
  pen.lineWidth = THINNEST + share * layout.row * THICKEST / Math.sqrt(maps.length || 1);
  pen.beginPath();
  trace();
  pen.stroke();
}

/**
 * The vertical positions of a link's ends, in px. Heads are offset from each other, so that none hides another.
 *
 * @returns {[number, number]}
 */
function endsOf({ layout, scrolled, maps }, head, row, column) {
  const apart = (head - (maps.length - 1) / 2) * Math.min(3, (layout.row * 0.6) / maps.length);
  const end = (index) => compress(layout.offsetOf(index, scrolled), layout) + apart;
  return [end(row), end(column)];
}

function addCurve(pen, { layout }, [from, to]) {
  const { left, right } = layout, middle = (left + right) / 2;
  pen.moveTo(left, from);
  pen.bezierCurveTo(middle, from, middle, to, right, to);
}

function isVisible({ layout, scrolled }, index) {
  const along = layout.offsetOf(index, scrolled);
  return along > layout.header && along < layout.height;
}

/** Moves ends outside the visible part closer, so that links leave it at an angle that shows their direction. */
function compress(along, { header, height }) {
  const over = along < header ? along - header : Math.max(along - height, 0), limit = (height - header) * FAR;
  return along - over + over / (1 + Math.abs(over) / limit);
}
