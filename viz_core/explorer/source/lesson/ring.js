// A ring around the control of the page that a card points at, with an arrow.

import { el } from "../shared/dom.js";

const GAP = 6; // px between control and ring
const GROWS = 5000; // ms in which the page may still grow above the control
const ENDS = ["wheel", "touchstart", "pointerdown", "keydown"];
const HEAD = 150; // px: the navigation, and the line of the explorer that stays below it
const WIDE = 1100; // px, of windows in which the card stands beside the page (frame.css)

/**
 * point(controls, card): around the first control that is on the page, of which each is a list of selectors; keeps it in
 * sight while the page grows, until the visitor does something. follow(): to where it is now.
 */
export function createRing() {
  const ring = el("div", { class: "lesson-ring", "aria-hidden": "true", hidden: true });
  document.body.append(ring);
  /** @type {string[][]} */
  let controls = [];
  /** @type {Element | null} */
  let target = null;
  let card = "", until = 0; // until: when the page has grown

  function point(next, its) {
    if (its !== card) until = performance.now() + GROWS;
    [controls, target, card] = [next, null, its];
    follow();
  }

  const stay = () => { until = 0; };

  function follow() {
    if (controls.length && !target?.isConnected) target = find(controls);
    const box = target?.getBoundingClientRect();
    ring.hidden = !box?.width;
    if (!box?.width) return;
    if (performance.now() < until && !isInSight(box)) {
      const isTall = innerWidth < WIDE || box.height > innerHeight / 2;
      page()?.scrollBy({ top: box.top - (isTall ? HEAD : (innerHeight - box.height) / 2) });
    }
    const { style } = ring;
    style.left = `${box.left - GAP}px`;
    style.top = `${box.top - GAP}px`;
    style.width = `${box.width + 2 * GAP}px`;
    style.height = `${box.height + 2 * GAP}px`;
  }

  addEventListener("scroll", follow, { capture: true, passive: true });
  addEventListener("resize", follow);
  for (const event of ENDS) addEventListener(event, stay, { capture: true, passive: true });
  return {
    point, follow,
    remove() {
      removeEventListener("scroll", follow, { capture: true });
      removeEventListener("resize", follow);
      for (const event of ENDS) removeEventListener(event, stay, { capture: true });
      ring.remove();
    },
  };
}

/** What scrolls: not what is around it, which hides what it does not hold. */
const page = () => document.querySelector('[data-testid="stMain"]');

/** Whether a box, or of a tall one the upper part, is in the window and behind nothing that stays at its top. */
const isInSight = ({ top, height }) => (top >= HEAD - 1 || !page()?.scrollTop) && top + Math.min(height, innerHeight / 2) <= innerHeight;

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
