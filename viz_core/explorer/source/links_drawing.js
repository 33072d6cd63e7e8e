// Draws the part of the links that is seen: curves from query to key, the names of both, and numbers beside some.

import { fitted } from "./dom.js";
import { linksOf, MOST } from "./links_layout.js";

const FADED = 0.12; // of their opacity: other links while one token's are looked into
const OUTSIDE = 0.4; // of their opacity: links with an end that is not seen
const SHADES = 6; // of links that come from outside
const FAR = 0.5; // of the height of what is seen: the farthest that an end is drawn outside
const NUMBERED = 8; // of a token's links carry their weight
const THINNEST = 0.7, THICKEST = 0.34; // px; times the height of a row

/**
 * scene: `layout` and `scrolled` (what is seen: links_layout.js); `theme`, `units`, `map`; `each`, `colours` and `ranked`:
 * the map, the colour and the strongest links of each head; `count` links of each query; `focus`: the token that is
 * looked into, `{ side, unit }` or null; `query`, `key`: selected units or null; `pointed`: one link, `{ query, key }`, or
 * null; `alone`: the only head to draw, or null; `pair`; `headings`: of both columns; `cut`: a Map that keeps cut names.
 */
export function drawScene(pen, scene) {
  const { layout } = scene;
  const links = scene.map && scene.focus ? linksOf(scene.map, scene.focus) : [];
  pen.save();
  pen.beginPath();
  pen.rect(0, layout.header, layout.width, layout.height - layout.header);
  pen.clip();
  if (scene.map) {
    drawStrongest(pen, scene, links.length > 0);
    if (links.length) drawFocus(pen, scene);
    if (scene.pointed) drawPointed(pen, scene);
    pen.globalAlpha = 1;
  }
  for (const side of ["query", "key"]) drawColumn(pen, scene, side, links);
  pen.restore();
  drawHeader(pen, scene);
}

/**
 * The strongest links of every query that is seen, and as a quiet shade behind them those that come from outside. Links
 * that only pass through are left out: nothing that is seen says where they belong.
 */
function drawStrongest(pen, scene, behind) {
  const { each, ranked, count, alone } = scene, opacity = behind ? FADED : 1;
  each.forEach((map, head) => {
    if (alone !== null && alone !== head) return;
    const columns = map.keys.length, coming = [];
    pen.strokeStyle = scene.colours[head];
    for (let row = 0; row < map.queries.length; row++) for (let rank = 0; rank < count; rank++) {
      const column = ranked[head][row * MOST + rank];
      if (column < 0) break;
      const share = Math.sqrt(map.weights[row * columns + column]);
      if (isSeen(scene, row)) stroke(pen, scene, share, (0.1 + 0.7 * share) * opacity, () => curve(pen, scene, head, row, column));
      else if (!behind && isSeen(scene, column)) (coming[Math.floor(share * SHADES)] ??= []).push([row, column]);
    }
    // One path a shade: hundreds of links to one key would make it darker than any weight is.
    coming.forEach((links, shade) => stroke(pen, scene, shade / SHADES, (0.1 + 0.7 * shade / SHADES) * OUTSIDE,
      () => links.forEach(([row, column]) => curve(pen, scene, head, row, column))));
  });
}

/** Every link of the token that is looked into; the strongest last, on top of the others. */
function drawFocus(pen, scene) {
  scene.each.forEach((map, head) => {
    if (scene.alone !== null && scene.alone !== head) return;
    pen.strokeStyle = scene.colours[head];
    for (const { row, column, weight } of linksOf(map, scene.focus).reverse()) {
      const share = Math.sqrt(weight), outside = isSeen(scene, row) && isSeen(scene, column) ? 1 : OUTSIDE;
      stroke(pen, scene, share, (0.25 + 0.75 * share) * outside, () => curve(pen, scene, head, row, column));
    }
  });
}

/** The one link that is pointed at in another view. */
function drawPointed(pen, scene) {
  const { map, each, pointed, theme } = scene, row = map.rowOf[pointed.query], column = map.columnOf[pointed.key];
  if (!(row >= 0) || !(column >= 0)) return;
  each.forEach(({ weights, keys }, head) => {
    pen.strokeStyle = each.length > 1 ? scene.colours[head] : theme.ink;
    const share = Math.sqrt(weights[row * keys.length + column]);
    stroke(pen, scene, Math.max(share, 0.3), 1, () => curve(pen, scene, head, row, column));
  });
}

/** Strokes what `trace` adds to a path, as wide and as opaque as a share (the square root of a weight) asks. */
function stroke(pen, { layout, each }, share, opacity, trace) {
  pen.globalAlpha = opacity;
  pen.lineWidth = THINNEST + share * layout.row * THICKEST / Math.sqrt(each.length);
  pen.beginPath();
  trace();
  pen.stroke();
}

/** Adds one link to the path. Heads run side by side, so that none hides another. */
function curve(pen, { layout, scrolled, each }, head, row, column) {
  const { left, right } = layout, middle = (left + right) / 2;
  const apart = (head - (each.length - 1) / 2) * Math.min(3, (layout.row * 0.5) / each.length);
  const from = nearby(placeOf(layout, scrolled, row), layout) + apart;
  const to = nearby(placeOf(layout, scrolled, column), layout) + apart;
  pen.moveTo(left, from);
  pen.bezierCurveTo(middle, from, middle, to, right, to);
}

const placeOf = ({ header, row }, scrolled, place) => header + (place + 0.5) * row - scrolled;

const isSeen = ({ layout, scrolled }, place) => {
  const along = placeOf(layout, scrolled, place);
  return along > layout.header && along < layout.height;
};

/** Far ends are drawn nearer than they are, so that links leave what is seen at an angle that tells their direction. */
function nearby(along, { header, height }) {
  const over = along < header ? along - header : Math.max(along - height, 0), limit = (height - header) * FAR;
  return along - over + over / (1 + Math.abs(over) / limit);
}

/** The names of one side that are seen: marked ones on a ground of their own, and weights beside those of the focus. */
function drawColumn(pen, scene, side, links) {
  const { layout, scrolled, units, theme, focus } = scene, looks = side === "query";
  const list = (scene.map ?? scene.everything)[looks ? "queries" : "keys"];
  const other = links.length > 0 && focus.side !== side;
  const weights = new Map(other ? links.map((link) => [looks ? link.row : link.column, link.weight]) : []);
  const strong = other ? links[0].weight : 1;
  const first = Math.max(Math.floor(scrolled / layout.row), 0);
  const last = Math.min(Math.ceil((scrolled + layout.height - layout.header) / layout.row), list.length);
  pen.textBaseline = "middle";
  for (let at = first; at < last; at++) {
    const unit = list[at], along = layout.header + (at + 0.5) * layout.row - scrolled;
    if (scene.pair && units.groups[unit] >= 0) stripe(pen, scene, looks, along, units.groups[unit]);
    const mark = markOf(scene, side, unit);
    const dimmed = links.length > 0 && !mark && (other ? 0.4 + 0.6 * Math.sqrt((weights.get(at) ?? 0) / strong) : 0.4);
    pen.globalAlpha = dimmed || 1;
    drawName(pen, scene, looks, unit, along, mark ?? { ink: units.groups[unit] < 0 ? theme.muted : theme.ink });
    pen.globalAlpha = 1;
  }
  if (other) drawNumbers(pen, scene, looks, links);
}

/** How a name is set off: selected ones on the hue of their side, those that are pointed at on a quiet ground. */
function markOf({ theme, focus, pointed, query, key }, side, unit) {
  if (unit === (side === "query" ? query : key)) return { ink: theme.background, fill: theme[side] };
  if (focus?.side === side && focus.unit === unit) return { ink: theme[side], fill: theme.surface };
  if (pointed?.[side] === unit) return { ink: theme.ink, fill: theme.surface };
  return null;
}

function drawName(pen, { layout, theme, units, cut }, looks, unit, along, { ink, fill }) {
  const { left, right, gap, names, row } = layout, room = names[looks ? "query" : "key"], size = theme.small;
  pen.font = `${fill ? 600 : 400} ${size}px ${theme.font}`;
  const kept = `${looks}${fill ? "!" : ""}${unit}`;
  if (!cut.has(kept)) cut.set(kept, fitted(pen, units.labels[unit], room));
  const text = cut.get(kept), edge = looks ? left - gap : right + gap;
  pen.textAlign = looks ? "right" : "left";
  if (fill) {
    const width = pen.measureText(text).width, high = Math.min(size * 1.5, row - 1);
    pen.fillStyle = fill;
    pen.beginPath();
    pen.roundRect((looks ? edge - width : edge) - 4, along - high / 2, width + 8, high, 3);
    pen.fill();
  }
  pen.fillStyle = ink;
  pen.fillText(text, edge, along + 0.5);
}

function stripe(pen, { layout, theme }, looks, along, group) {
  pen.fillStyle = theme.groups[group + 1];
  pen.fillRect(looks ? layout.left - 4 : layout.right + 1, along - layout.row / 2, 3, layout.row);
}

/** The weights of the strongest links, at the outer side of the names, their digits below each other. */
function drawNumbers(pen, { layout, scrolled, theme }, looks, links) {
  const { left, right, gap, names, numbers, header, row } = layout;
  if (!numbers[looks ? "query" : "key"]) return;
  const edge = looks ? left - gap - names.query - 8 : right + gap + names.key + numbers.key;
  const digits = links[0].weight >= 0.02 ? 3 : 4;
  pen.font = numberFont(theme);
  pen.textAlign = "right";
  links.slice(0, NUMBERED).forEach((link, rank) => {
    pen.fillStyle = rank ? theme.muted : theme.ink;
    pen.fillText(link.weight.toFixed(digits), edge, header + ((looks ? link.row : link.column) + 0.5) * row - scrolled + 0.5);
  });
}

/** The type of the numbers, a little smaller than names. */
export const numberFont = (theme) => `${Math.round(theme.small * 0.92)}px ${theme.font}`;

function drawHeader(pen, { layout, scrolled, theme, headings }) {
  const { left, right, gap, header, width, names, numbers } = layout;
  const room = { query: names.query + numbers.query, key: names.key + numbers.key };
  pen.font = `600 ${theme.small}px ${theme.font}`;
  pen.textBaseline = "middle";
  for (const side of ["query", "key"]) {
    pen.textAlign = side === "query" ? "right" : "left";
    pen.fillStyle = theme[side];
    pen.fillText(fitted(pen, headings[side], room[side] + gap), side === "query" ? left - gap : right + gap, header / 2 - 1);
  }
  if (scrolled < 1) return; // the line tells that rows go on above it
  pen.fillStyle = theme.line;
  pen.fillRect(0, header - 1, width, 1);
}
