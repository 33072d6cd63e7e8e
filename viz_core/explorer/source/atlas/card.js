// The head that is pointed at: its attention on the visitor's text, its numbers, and the way to its page.

import { paintPixels } from "../explorer/canvas.js";
import { darkestOf, thumbnailColours } from "../explorer/scales.js";
import { el } from "../shared/dom.js";
import { remember } from "../shared/remember.js";
import { groupName, GROUP, labelOf, write } from "./measures.js";

export function createCard({ atlas, say, titleOf, open }) {
  const { thumbnail, thumbnails, theme } = atlas;
  const canvas = el("canvas", { role: "img" }), numbers = el("dl");
  const name = el("h3"), button = el("button", { type: "button", class: "open", onclick: () => open(shown) });
  const element = el("aside", { class: "card", "aria-label": say("card") },
    thumbnail && el("figure", {}, canvas, el("figcaption", {}, say("on_text", { text: thumbnail.text }))),
    el("div", { class: "about" }, name, numbers, atlas.opens ? button : null));
  let shown = 0;

  /** Square roots of shares of the head's largest weight, as the explorer's thumbnails. */
  function paint(head) {
    const { grid: [rows, columns], peaks, tokens } = thumbnail, cells = thumbnails.subarray(head * rows * columns, (head + 1) * rows * columns);
    const darkest = darkestOf({ limit: "full" }, { peaks: [] }, tokens, peaks[head]);
    const colours = thumbnailColours(theme.sequential, "linear", peaks[head], darkest);
    canvas.style.aspectRatio = `${columns} / ${rows}`;
    paintPixels(canvas, columns, rows, (pixels) => cells.forEach((value, cell) => { pixels[cell] = colours[value]; }));
    canvas.setAttribute("aria-label", say("thumbnail", { head: labelOf(atlas, head), text: thumbnail.text }));
  }

  function numberOf(measure, head) {
    const title = el("dt", {}, titleOf(measure));
    if (measure === GROUP) return [title, el("dd", {}, atlas.groups[head] < 0 ? say("alone") : groupName(atlas.groups[head]))];
    const { unit, values, low, high } = atlas.measures[measure];
    const interval = [low, high].map((end) => write(unit, end[head], 1)).join(unit === "change" ? " … " : "–");
    return [title, el("dd", {}, write(unit, values[head], 1), el("small", {}, ` ${say("interval", { interval })}`))];
  }

  return {
    element,
    draw: remember(({ x, y, colour, head }) => {
      shown = head;
      name.textContent = say("head", { head: labelOf(atlas, head) });
      button.textContent = say("open", { head: labelOf(atlas, head) });
      numbers.replaceChildren(...[...new Set([colour, x, y])].flatMap((measure) => numberOf(measure, head)));
      if (thumbnail) paint(head);
    }),
  };
}
