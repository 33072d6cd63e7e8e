// The tokens as rows that stay where they are through all steps, with what a step computes for each beside them.

import { el } from "../shared/dom.js";
import { roveFocus } from "../shared/keyboard.js";
import { remember } from "../shared/remember.js";
import { createBars } from "./bars.js";
import { number } from "./numbers.js";
import { limitOf, paintSigned } from "./paint.js";

/** `{ element, draw(view, panels) }`. say, theme; select(patch): another query or key; point(): another dimension. */
export function createRows({ say, theme, select }) {
  const titles = el("div", { class: "titles" }), labels = el("div", { class: "labels", role: "group", "aria-label": say("tokens") });
  const marks = { query: el("i", { class: "mark query" }), key: el("i", { class: "mark key" }) };
  const body = el("div", { class: "body" }, labels, marks.query, marks.key);
  const element = el("section", { class: "rows", "aria-label": say("tokens") }, titles, body);
  let buttons = [], frame = 0;
  roveFocus(labels, () => buttons, (key, index) => ({ ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: buttons.length - 1 })[key]);

  /** The tokens of the window, once for all steps. */
  const drawLabels = remember((keys, start, length) => {
    buttons = Array.from({ length }, (_, row) => el("button", {
      type: "button", tabindex: "-1", class: `token group${keys.groups[start + row] + 1}`, onclick: () => select({ key: start + row }) },
    el("span", {}, keys.labels[start + row])));
    labels.replaceChildren(...buttons);
  });

  function mark({ record, start, length, key, query, keyNames }) {
    const rows = { query: record.kind === "cross" ? -1 : query - start, key: key - start };
    for (const [name, row] of Object.entries(rows)) {
      marks[name].hidden = row < 0 || row >= length;
      marks[name].style.setProperty("--row", row);
    }
    buttons.forEach((button, row) => {
      button.setAttribute("aria-pressed", String(row === rows.key));
      button.classList.toggle("is-query", row === rows.query);
      button.title = say("key_named", { token: keyNames[start + row] });
      button.tabIndex = row === rows.key ? 0 : -1;
    });
  }

  function scrollTo(button) {
    if (!button) return;
    const [above, below] = [button.offsetTop, button.offsetTop + button.offsetHeight];
    if (above < body.scrollTop) body.scrollTop = above;
    else if (below > body.scrollTop + body.clientHeight) body.scrollTop = below - body.clientHeight;
  }

  return {
    element,
    draw(view, panels) {
      element.hidden = !panels.length;
      if (!panels.length) return;
      const { start, length } = view;
      drawLabels(view.record.sides.key, start, length);
      mark(view);
      const drawn = panels.map((panel) => (panel.bars ? createBars(panel, view, theme, say) : matrix(panel, view, theme)));
      element.style.setProperty("--panels", panels.map(({ bars }) => (bars ? "minmax(0, 2fr)" : "minmax(0, 3fr)")).join(" "));
      element.style.setProperty("--rows", length);
      titles.replaceChildren(el("span", { class: "title" }, length === view.record.sizes.K ? say("tokens_count", { count: length })
        : say("tokens_part", { start: start + 1, end: start + length, all: view.record.sizes.K })),
        ...panels.map(titleOf(length)));
      for (const panel of body.querySelectorAll(".panel")) panel.remove();
      labels.after(...drawn);
    },
    /**
     * Scrolls to tokens, the last one for certain, the others as far as there is room; in the next frame: asking for sizes
     * now would make the browser compute them twice.
     */
    show(tokens, start) {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        if (!element.hidden) for (const token of tokens) scrollTo(buttons[token - start]);
      });
    },
  };
}

/** The title of a column, of vectors with shape and range of the colours. */
const titleOf = (length) => ({ title, columns, values }) => el("span", { class: "title" }, title,
  columns && values ? el("small", {}, ` ${length} × ${columns}, ±${number(limitOf(values))}`) : null);

/** A vector of each token as a row of colours; pointing shows the number. Empty while its values are on their way. */
function matrix({ title, values, columns }, { keyNames, start, length }, theme) {
  const canvas = el("canvas", { class: "image", role: "img", "aria-label": title });
  if (!values) return el("div", { class: "panel" }, canvas);
  paintSigned(canvas, values, columns, limitOf(values), theme.diverging);
  const box = el("div", { class: "panel" }, canvas);
  box.addEventListener("pointermove", (event) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const column = Math.floor(((event.clientX - left) / width) * columns), row = Math.floor(((event.clientY - top) / height) * length);
    const value = values[row * columns + column];
    box.title = value === undefined ? "" : `${keyNames[start + row]}, ${column + 1}: ${number(value)}`;
  });
  return box;
}
