// Pointer and keyboard input on the links: hovering over and selecting tokens, and scrolling.

import { nextItem } from "./keyboard.js";

/**
 * stage: the element listened to. current(): what is drawn, as in links.js. tokenUnder(event): the token under the
 * pointer, `{ side, unit }` or null. onhover(token) and onscroll() are called when the pointer moves and when the names
 * are scrolled.
 */
export function listenToLinks({ stage, store, current, tokenUnder, onhover, onscroll }) {
  /** Within one sentence, the selected token is the query even while the views show what attends to it. */
  const selectQuery = (query) => store.set({
    query: query === null ? null : current().sides.query.first[query], key: null, range: null });

  stage.addEventListener("scroll", onscroll);
  stage.addEventListener("pointermove", (event) => { if (event.pointerType !== "touch") onhover(tokenUnder(event)); });
  stage.addEventListener("pointerleave", () => onhover(null));
  stage.addEventListener("click", (event) => {
    const token = tokenUnder(event), { query, key, sides, isSquare } = current();
    if (!token) return;
    const isSelected = token.side === "query" || (isSquare && store.get().direction === "to");
    if (isSelected) selectQuery(token.unit === query ? null : token.unit);
    else store.set({ key: token.unit === key ? null : sides.key.first[token.unit], range: null });
  });
  stage.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key], { map, sides } = current();
    if (!step || !map?.queries.length) return;
    event.preventDefault();
    onhover(null); // the keyboard takes over, wherever the pointer is
    const { query } = store.get(); // several presses may come before a drawing
    selectQuery(nextItem(map.queries, query === null ? null : sides.query.of[query], step));
  });
}
