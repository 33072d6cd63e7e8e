// The frame that every view stands in: its number (the key that hides it), its name, what it shows, and its buttons.

import { el } from "./dom.js";
import { VIEW_NAMES } from "./selection.js";

/** `{ element, note }`: the section around `body`, and the line below its name that the view keeps true. */
export function panel({ say }, name, body, ...actions) {
  const note = el("p", { class: "note" });
  const element = el("section", { class: `view ${name}`, "aria-label": say(name) },
    el("header", {},
      el("h4", {}, el("kbd", { "aria-hidden": "true" }, String(VIEW_NAMES.indexOf(name) + 1)), say(name)), ...actions),
    note, body);
  return { element, note };
}

/** A small button of a panel. */
export function button(label, title, onclick, attributes = {}) {
  return el("button", { type: "button", title, "aria-label": title, onclick, ...attributes }, label);
}

/** A row of buttons of which one is chosen. `names`: `{ value: label }`. `show(value)` marks the chosen one. */
export function chooser(label, names, onchoose) {
  const buttons = Object.entries(names).map(([value, text]) => [value, el("button", {
    type: "button", onclick: () => onchoose(value) }, text)]);
  return {
    element: el("div", { class: "chooser", role: "group", "aria-label": label },
      el("span", { class: "label", "aria-hidden": "true" }, label), ...buttons.map(([, one]) => one)),
    show: (chosen) => buttons.forEach(([value, one]) => one.setAttribute("aria-pressed", String(value === chosen))),
  };
}

/** A labelled box of options. `names`: `{ value: label }`. */
export function dropdown(label, names, onchoose) {
  const select = el("select", { onchange: () => onchoose(select.value) },
    ...Object.entries(names).map(([value, text]) => el("option", { value }, text)));
  return {
    element: el("label", { class: "dropdown" }, el("span", { class: "label" }, label), select),
    show: (chosen) => { select.value = chosen; },
  };
}

/** Saves a canvas as a PNG file on the page's background. */
export function saveCanvas(canvas, background, name) {
  const copy = el("canvas", { width: canvas.width, height: canvas.height });
  const context = copy.getContext("2d");
  context.fillStyle = background;
  context.fillRect(0, 0, copy.width, copy.height);
  context.drawImage(canvas, 0, 0);
  copy.toBlob((blob) => {
    const url = URL.createObjectURL(blob);
    el("a", { href: url, download: `${name}.png` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  });
}
