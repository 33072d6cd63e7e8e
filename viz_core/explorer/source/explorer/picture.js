// A view as a picture for slides: twice as sharp as the screen, with margins, its colour scale, and a caption that says
// what it shows, as viz_core/rendering/caption.py does for figures.

/** @import { Difference, Input, Say, State } from "../shared/records.js" */

import { el } from "../shared/dom.js";
import { download } from "../shared/download.js";
import { prepareCanvas } from "./canvas.js";
import { headsOfReference, modelName, shortHeads } from "./comparison/reference.js";
import { cutText, typedTexts } from "./comparison/texts.js";

export const SHARPNESS = 2; // pixels per CSS pixel of the page
const MARGIN = 24, GAP = 12; // px
const LINE = 1.5; // em: height of a line
const STRIP = 16, THIN = 0.8; // em: length and height of the colour scale
const LONGEST = 60; // characters of a text

/**
 * Saves a picture as `<name>.png`. view: `{ canvas, width, height }`, drawn with SHARPNESS pixels per px; scale: the
 * colour scale below it, `{ title, stops, labels }`, labels as for createStrip, or null; caption: a sentence.
 */
export function savePicture(theme, name, { canvas, width, height }, scale, caption) {
  const picture = el("canvas"), measuring = picture.getContext("2d"), size = theme.small, line = size * LINE;
  measuring.font = `${size}px ${theme.font}`;
  const across = Math.max(width, size * STRIP * 2), lines = wrap(measuring, caption, across);
  const below = scale ? size * THIN + line + GAP : 0;
  const down = height + below + GAP + lines.length * line;
  const pen = prepareCanvas(picture, across + 2 * MARGIN, down + 2 * MARGIN, SHARPNESS);
  pen.fillStyle = theme.background;
  pen.fillRect(0, 0, picture.width, picture.height);
  pen.drawImage(canvas, MARGIN, MARGIN, width, height);
  pen.font = `${size}px ${theme.font}`;
  pen.textBaseline = "top";
  pen.fillStyle = theme.muted;
  if (scale) drawScale(pen, theme, scale, MARGIN, MARGIN + height + GAP);
  pen.textAlign = "left";
  lines.forEach((text, index) => pen.fillText(text, MARGIN, MARGIN + height + below + GAP + index * line));
  picture.toBlob((blob) => download(blob, `${name}.png`));
}

/**
 * Model, head, colour scale if the picture depends on it, date and texts; of a difference also its reference.
 *
 * @param {{ say: Say, input: Input }} context
 * @param {State} state
 * @param {{ difference?: Difference | null, scale?: string }} [options]
 */
export function captionOf({ say, input }, state, { difference = null, scale = "" } = {}) {
  const quoted = (texts, between) => (
    say("caption_text", { text: texts.map((text) => cutText(text, LONGEST)).join(between) }));
  const inHeads = (heads, input) => say("caption_head", { head: shortHeads(heads, input) });
  const parts = [modelName(input), ...(input.kind ? [say(`kind_${input.kind}_long`)] : []),
    inHeads(state.heads, input), ...(input.measure === "norms" ? [say("measure_norms")] : []),
    ...(scale ? [say("caption_scale", { scale: say(`scale_${scale}`) })] : []),
    new Date().toLocaleDateString("sv"), // as 2026-12-31, in the time of the browser
    input.sides ? quoted(sentencesOf(input.sides), " → ") : quoted(typedTexts(input), " / ")];
  const { reference } = state;
  if (!difference || !reference) return parts.join(" · ");
  const model = reference.model === input.model ? [] : [modelName(reference)];
  const named = [...model, inHeads(headsOfReference(state), reference), quoted(typedTexts(reference), " / ")];
  return [...parts, say("caption_reference", { reference: named.join(", ") })].join(" · ");
}

/** The sentences of a translation, the source first. */
function sentencesOf({ query, key }) {
  return (query === key ? [query] : [key, query]).flatMap(typedTexts);
}

function drawScale(pen, { small: size, line }, { title, stops, labels }, left, top) {
  const length = size * STRIP, start = left + pen.measureText(title).width + GAP;
  const colours = pen.createLinearGradient(start, 0, start + length, 0);
  pen.textAlign = "left";
  pen.fillText(title, left, top);
  for (const [position, text] of labels) {
    pen.textAlign = position > 0 ? (position < 1 ? "center" : "right") : "left";
    pen.fillText(text, start + position * length, top + size * (THIN + 0.3));
  }
  stops.forEach((stop, index) => colours.addColorStop(index / (stops.length - 1), stop));
  const ink = pen.fillStyle;
  pen.fillStyle = colours;
  pen.fillRect(start, top, length, size * THIN);
  pen.fillStyle = ink;
  pen.strokeStyle = line;
  pen.strokeRect(start, top, length, size * THIN);
}

/** The text in lines of up to `room` px: broken at spaces, and between Chinese characters. */
function wrap(pen, text, room) {
  const lines = [""];
  for (const piece of text.match(/[\p{sc=Han}。，、？！]|[^\s\p{sc=Han}。，、？！]+\s*|\s+/gu) ?? []) {
    if (lines.at(-1) && pen.measureText(lines.at(-1) + piece.trimEnd()).width > room) lines.push("");
    lines[lines.length - 1] += piece;
  }
  return lines;
}
