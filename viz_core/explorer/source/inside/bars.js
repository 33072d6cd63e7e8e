// A number of each token as a bar in its row, to the right of 0 or to the left; with a tick where it was before a change.

import { el } from "../shared/dom.js";
import { number } from "./numbers.js";
import { limitOf } from "./paint.js";

/** Whether a change shows. */
export const hasMoved = (value, was) => Math.abs(was - value) > 5e-4;

/** panel: `{ title, values (K), isWeight, before, sameAs }`; sameAs: numbers that share its scale. */
export function createBars({ title, values, isWeight, before, sameAs }, { start, length, keyNames }, theme, say) {
  const finite = Array.from(values).filter(Number.isFinite);
  const limit = isWeight ? Math.max(...finite, ...(before ?? [])) || 1 : limitOf(finite, sameAs ?? []) || 1;
  const signed = finite.some((value) => value < 0);
  const at = (value) => 100 * (signed ? (value / limit + 1) / 2 : value / limit);
  const rows = Array.from({ length }, (_, row) => {
    const value = values[start + row], was = before && before[start + row];
    const bar = el("i", { class: `bar ${isWeight ? "weight" : value < 0 ? "less" : "more"}` });
    const [from, to] = [at(0), at(Number.isFinite(value) ? value : 0)].sort((a, b) => a - b);
    bar.style.cssText = `left:${from}%;width:${to - from}%`;
    const tick = was !== undefined && hasMoved(value, was) ? el("i", { class: "tick", title: say("was", { value: number(was) }) }) : null;
    if (tick) tick.style.left = `${at(was)}%`;
    return el("div", { class: "line", title: `${keyNames[start + row]}: ${number(value)}` },
      el("span", { class: "track" }, bar, tick), el("span", { class: "figure" }, number(value)));
  });
  return el("div", { class: `panel bars${signed ? " signed" : ""}`, "aria-label": title, role: "group" }, ...rows);
}
