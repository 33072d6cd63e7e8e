// Pointer and keyboard input on the text: selecting and hovering over units.

import { hasModifier } from "../shared/keyboard.js";
import { hoveredCell } from "./cells.js";
import { nextItem } from "./keyboard.js";

/**
 * body: the element that contains the spans. current(): what is drawn. describe(side, unit): sets the tooltip of a unit.
 */
export function listenToText({ body, store, current, describe }) {
  const placeAt = (event) => {
    const span = event.target.closest("[data-unit]");
    return span && { side: span.closest("[data-side]").dataset.side, unit: Number(span.dataset.unit) };
  };

  /** Between two sentences, a token of the source is a key, and what attends to it is shown. */
  function select(side, unit) {
    const { isSquare, sides } = current(), token = unit === null ? null : sides[side].first[unit];
    const direction = isSquare ? {} : { direction: side === "key" ? "to" : "from" };
    store.set({ query: null, key: null, [side]: token, range: null, hover: null, ...direction });
  }

  body.addEventListener("click", (event) => {
    const place = placeAt(event);
    if (place) select(place.side, place.unit === current()[place.side] ? null : place.unit);
  });
  body.addEventListener("pointerover", (event) => {
    const place = placeAt(event), derived = current(), isOver = place && (derived.isSquare || place.side === derived.over);
    store.set({ hover: isOver ? hoveredCell(derived, place.unit) : null });
    if (place && derived.weights) describe(place.side, place.unit);
  });
  body.addEventListener("pointerleave", () => store.set({ hover: null }));
  body.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || hasModifier(event)) return;
    event.preventDefault();
    const state = store.get(), { isSquare, sides } = current(); // several presses may come before a drawing
    const side = isSquare || state.direction === "from" ? "query" : "key", token = state[side];
    const units = [...Array(sides[side].count).keys()];
    select(side, nextItem(units, token === null ? null : sides[side].of[token], step));
  });
}
