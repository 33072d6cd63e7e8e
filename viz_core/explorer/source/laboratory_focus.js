// One stop of the tab key for many buttons: arrows go from one to the next.

import { el } from "./dom.js";

/** The tab key stops at one of `items()`. `step(key, index)`: where a key leads to, undefined for keys without a meaning. */
export function rove(box, items, step) {
  const stop = (chosen) => items().forEach((one) => { one.tabIndex = one === chosen ? 0 : -1; });
  box.addEventListener("focusin", (event) => {
    const item = event.target.closest("[tabindex]");
    if (items().includes(item)) stop(item);
  });
  box.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const all = items(), to = step(event.key, all.indexOf(event.target));
    if (to === undefined || !all.includes(event.target)) return;
    event.preventDefault();
    all[Math.min(Math.max(to, 0), all.length - 1)].focus();
  });
}

/** A part of the laboratory: `{ element, note }`, its name, the line below it, what stands beside the name, and its body. */
export function part(name, title, beside, ...body) {
  const note = el("p", { class: "note" });
  const element = el("section", { class: `view ${name}`, "aria-label": title },
    el("header", {}, el("h4", {}, title), ...beside), note, ...body);
  return { element, note };
}

/** What the signs of states mean: `[state, sentence]`. */
export function signs(entries) {
  return el("p", { class: "signs" }, ...entries.map(([state, said]) => (
    el("span", {}, el("i", { class: state, "aria-hidden": "true" }), said))));
}
