// A ring around the control of the page that a card points at, with an arrow.

import { el } from "../shared/dom.js";

const GAP = 6; // px between control and ring

/**
 * point(controls, card): around the first control that is on the page, of which each is a list of selectors; scrolls to it
 * once for a card. follow(): to where it is now.
 */
export function createRing() {
  const ring = el("div", { class: "lesson-ring", "aria-hidden": "true", hidden: true });
  document.body.append(ring);
  /** @type {string[][]} */
  let controls = [];
  /** @type {Element | null} */
  let target = null;
  let card = "", scrolled = "";

  function point(next, its) {
    [controls, target, card] = [next, null, its];
    follow();
  }

  function follow() {
    if (!target?.isConnected) target = find(controls);
    const box = target?.getBoundingClientRect();
    ring.hidden = !box?.width;
    if (!box?.width) return;
    if (scrolled !== card) {
      scrolled = card;
      if (box.top < 0 || box.bottom > innerHeight) target?.scrollIntoView({ block: "center", behavior: "smooth" });
    }
    const { style } = ring;
    style.left = `${box.left - GAP}px`;
    style.top = `${box.top - GAP}px`;
    style.width = `${box.width + 2 * GAP}px`;
    style.height = `${box.height + 2 * GAP}px`;
  }

  addEventListener("scroll", follow, { capture: true, passive: true });
  addEventListener("resize", follow);
  return {
    point, follow,
    remove() {
      removeEventListener("scroll", follow, { capture: true });
      removeEventListener("resize", follow);
      ring.remove();
    },
  };
}

/** The first element of the page that one of the selectors finds, also in what components draw. @returns {Element | null} */
function find(controls) {
  const roots = [document, ...shadows(document)];
  for (const selector of controls.flat()) {
    for (const root of roots) {
      const found = [...root.querySelectorAll(selector)].find((element) => element.getClientRects().length);
      if (found) return found;
    }
  }
  return null;
}

/** The roots of components, and of components in them. @returns {ShadowRoot[]} */
function shadows(root) {
  const own = [...root.querySelectorAll("*")].flatMap((element) => element.shadowRoot ?? []);
  return [...own, ...own.flatMap(shadows)];
}
