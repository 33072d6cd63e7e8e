// The text as a picture: drawn again from where the browser has set each character, and in its colours.

/** @import { Derived } from "../shared/records.js" */

import { el } from "../shared/dom.js";
import { prepareCanvas } from "./canvas.js";
import { captionOf, savePicture, SHARPNESS } from "./picture.js";
import { selectedSentence } from "./selected.js";

/** Saves all of `body`, which may show a part of it only. labels: of the colour scale, or null. */
export function saveText(context, body, /** @type {Derived} */ derived, labels) {
  const { say, store, theme } = context, { difference } = derived, state = store.get(), canvas = el("canvas");
  const box = body.getBoundingClientRect(), width = body.clientWidth, height = body.scrollHeight;
  const pen = prepareCanvas(canvas, width, height, SHARPNESS);
  const placed = ({ left, top, width, height }) => (
    [left - box.left + body.scrollLeft, top - box.top + body.scrollTop, width, height]);
  for (const span of body.querySelectorAll(".token")) drawShade(pen, span, placed);
  drawCharacters(pen, body, theme, placed);
  const [title, stops] = difference ? [say("change"), theme.diverging] : [say("weight"), theme.sequential];
  const caption = captionOf(context, state, { difference, scale: state.scale });
  const selected = derived.token === null || difference ? "" : `${selectedSentence(say, state, derived)} `;
  savePicture(theme, "text", { canvas, width, height }, labels && { title, stops, labels },
    selected + caption);
}

/** The background of a token, which may run over several lines, and its border and outline, if it has any. */
function drawShade(pen, span, placed) {
  const style = getComputedStyle(span);
  const frames = [["outlineStyle", "outlineColor", "outlineWidth"], ["borderTopStyle", "borderTopColor", "borderTopWidth"]];
  for (const rectangle of span.getClientRects()) {
    pen.fillStyle = style.backgroundColor;
    pen.fillRect(...placed(rectangle));
    for (const [kind, colour, width] of frames) {
      if (style[kind] === "none") continue;
      [pen.strokeStyle, pen.lineWidth] = [style[colour], parseFloat(style[width])];
      pen.strokeRect(...placed(rectangle));
    }
  }
}

function drawCharacters(pen, body, theme, placed) {
  const nodes = document.createTreeWalker(body, NodeFilter.SHOW_TEXT), range = document.createRange();
  pen.textBaseline = "middle";
  while (nodes.nextNode()) {
    const node = /** @type {Text} */ (nodes.currentNode), { fontWeight, fontSize, color } = getComputedStyle(/** @type {Element} */ (node.parentElement));
    [pen.font, pen.fillStyle] = [`${fontWeight} ${fontSize} ${theme.font}`, color];
    for (const { index, 0: character } of node.data.matchAll(/\P{M}\p{M}*/gu)) {
      range.setStart(node, index);
      range.setEnd(node, index + character.length);
      const [left, top, width, height] = placed(range.getBoundingClientRect());
      if (width) pen.fillText(character, left, top + height / 2);
    }
  }
}
