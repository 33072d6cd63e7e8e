// The bundle: inputs of a corpus, each shaded by what one query attends to, with a button that opens it.

/** @import { Passage, Passages } from "../shared/records.js" */

import { createLegend } from "../explorer/legend.js";
import { darkestOf, share } from "../explorer/scales.js";
import { createLine } from "../explorer/text_pieces.js";
import { unitsOf } from "../explorer/units.js";
import { reportTheme } from "../instrument/page_theme.js";
import { colourAt, inkAt } from "../shared/colours.js";
import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { mount } from "../shared/mount.js";
import { applyTheme } from "../shared/theme.js";
import { translator } from "../shared/translator.js";
import { queryName } from "./query.js";

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  reportTheme(data.theme, parentElement, setTriggerValue);
  return mount(component, data, (report) => drawPassages(parentElement.querySelector(".passages"), data, report));
}

/**
 * Draws all inputs into `root`. report("open", index): one is to be opened.
 *
 * @param {HTMLElement} root
 * @param {Passages} data
 * @param {(event: string, value: unknown) => void} report
 */
function drawPassages(root, data, report) {
  applyTheme(root, data.theme);
  root.lang = data.language;
  const say = translator(data.catalogue);
  root.replaceChildren(...data.passages.map((passage, index) => (
    createPassage({ say, theme: data.theme }, passage, () => report("open", index)))));
  for (const [index, body] of root.querySelectorAll(".body").entries()) reveal(body, data.passages[index]);
  return { close: () => {} };
}

/** Scrolls a long text to its query, or to what that attends to most in another text. */
function reveal(body, /** @type {Passage} */ { marked, weights }) {
  const token = body.querySelector(`[data-unit="${marked ?? weights.indexOf(Math.max(...weights))}"]`);
  body.scrollTop = token.offsetTop - (body.clientHeight - token.offsetHeight) / 2;
}

function createPassage({ say, theme }, /** @type {Passage} */ passage, open) {
  const units = unitsOf(passage, "token"), /** @type {HTMLElement[]} */ spans = [];
  const isPair = passage.texts.length > 1, largest = Math.max(...passage.weights);
  const darkest = darkestOf({ limit: "full" }, { peaks: [] }, passage.tokens, largest);
  const lines = passage.texts.map((pieces, number) => el("div", { class: "line" },
    isPair ? el("span", { class: `name ${"ab"[number]}` }, "AB"[number]) : null,
    createLine(say, passage, pieces, units, spans)));
  spans.forEach((span, token) => {
    const position = share(passage.weights[token], darkest, "linear");
    [span.style.backgroundColor, span.style.color] = [colourAt(theme.sequential, position), inkAt(theme.sequential, position)];
    span.title = `${passage.labels[token]}: ${passage.weights[token].toFixed(4)}`;
    span.classList.toggle("query", token === passage.marked);
  });
  const legend = createLegend({ say, input: { theme } });
  legend.show(darkest, "linear", largest > darkest);
  const caption = say("caption", { tenth: passage.tenth, row: passage.row });
  return el("article", { class: "text" },
    el("header", {}, el("h3", {}, say("query_attends", { query: queryName(passage) })), el("small", {}, caption),
      button(say("open"), say("open_in_explorer", { row: passage.row }), open)),
    el("div", { class: "body", tabindex: "0", role: "group", "aria-label": caption }, ...lines),
    legend.element);
}
