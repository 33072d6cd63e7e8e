// What a term of the glossary means, in a bubble beside it once it is clicked: fingers and keys have no pointer that rests.

import { el } from "../shared/dom.js";
import { hasModifier } from "../shared/keyboard.js";

const TERMS = ":is(.st-key-lesson, [class*='st-key-slide']) a[title]", GAP = 6; // px

/** `{ leave() }`. */
export function explainTerms() {
  const bubble = el("div", { class: "lesson-term", role: "status" });
  document.body.append(bubble);
  const hide = () => bubble.replaceChildren();

  function show(event) {
    const term = event.target.closest?.(TERMS);
    hide();
    if (!term || hasModifier(event)) return;
    event.preventDefault();
    bubble.append(el("b", {}, term.textContent), `: ${term.title}`);
    const { left, top, bottom } = term.getBoundingClientRect(), { width, height } = bubble.getBoundingClientRect();
    bubble.style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`;
    bubble.style.top = `${bottom + GAP + height <= innerHeight ? bottom + GAP : Math.max(GAP, top - GAP - height)}px`;
  }

  /** Escape takes the bubble away, and nothing else. */
  function leave(event) {
    if (event.key !== "Escape" || !bubble.hasChildNodes()) return;
    event.stopPropagation();
    hide();
  }

  addEventListener("click", show, true);
  addEventListener("keydown", leave, true);
  addEventListener("scroll", hide, { capture: true, passive: true });
  return {
    leave() {
      removeEventListener("click", show, true);
      removeEventListener("keydown", leave, true);
      removeEventListener("scroll", hide, { capture: true });
      bubble.remove();
    },
  };
}
