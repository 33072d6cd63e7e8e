// Pointer and keyboard input on the text: selecting and hovering over units.

import { hasModifier } from "../shared/keyboard.js";
import { hoveredCell } from "./cells.js";
import { nextItem } from "./keyboard.js";

/**
 * body: the element that contains the spans. current(): what is drawn. unitCount(): how many units there are.
 * describe(unit): sets the tooltip of a unit.
 */
export function listenToText({ body, store, current, unitCount, describe }) {
  const unitAt = (event) => {
    const span = event.target.closest("[data-unit]");
    return span && Number(span.dataset.unit);
  };
  const select = (unit) => store.set({
    query: unit === null ? null : current().units.first[unit], key: null, range: null, hover: null });

  body.addEventListener("click", (event) => {
    const unit = unitAt(event);
    if (unit !== null) select(unit === current().query ? null : unit);
  });
  body.addEventListener("pointerover", (event) => {
    const unit = unitAt(event);
    store.set({ hover: hoveredCell(current(), store.get().direction, unit) });
    if (unit !== null && current().weights) describe(unit);
  });
  body.addEventListener("pointerleave", () => store.set({ hover: null }));
  body.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || hasModifier(event)) return;
    event.preventDefault();
    const { query } = store.get(), units = [...Array(unitCount()).keys()]; // several presses may come before a drawing
    select(nextItem(units, query === null ? null : current().units.of[query], step));
  });
}
