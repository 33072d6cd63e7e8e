// All heads in a row below the reading line, in sight while the overview is not. It covers what is below, so that nothing
// moves when it comes. For the keyboard and for screen readers there are the overview and the shortcuts.

/** @import { Derived, State } from "../shared/records.js" */

import { el } from "../shared/dom.js";
import { withName } from "../shared/names.js";
import { remember } from "../shared/remember.js";
import { headsOf } from "./selection.js";
import { createThumbnails } from "./thumbnails.js";

const HIGH = 2.4; // em

/** `{ element, watch(bar, parts), draw(state, derived), close() }`. */
export function createStrip(context) {
  const { say, prefetch, input } = context;
  const heads = headsOf(null, null, input).map(([layer, head]) => createHead(layer, head));
  const thumbnails = createThumbnails(context, heads);
  const layers = headsOf(null, 0, input).map(([layer]) => el("div", { class: "layer" }, el("span", {}, String(layer + 1)),
    ...heads.filter((head) => head.layer === layer).map(({ element }) => element)));
  const element = el("div", { class: "heads-strip", "aria-hidden": "true", hidden: true, style: `height:${HIGH}em` }, ...layers);
  /** @type {IntersectionObserver | undefined} */
  let observer;
  /** @type {[State, Derived] | undefined} the arguments of the last drawing */
  let drawn;

  function createHead(layer, head) {
    const canvas = el("canvas");
    const title = withName(say("of_head", { layer: layer + 1, head: head + 1 }), input, layer, head);
    const element = el("span", { class: "head", title,
      onclick: (event) => thumbnails.pick(event, { layer, head }), onpointerenter: () => prefetch([[layer, head]]) }, canvas);
    return { layer, head, canvas, element };
  }

  function paint(state, derived) {
    thumbnails.paint(state, derived);
    mark(state.heads);
  }

  const mark = remember((selected) => {
    heads.forEach(({ layer, head, element: thumbnail }) => {
      const index = selected.findIndex(([l, h]) => l === layer && h === head);
      thumbnail.style.setProperty("--mark", index < 0 ? "transparent" : context.colourOfHead(index));
    });
  });

  /** Scrolls the row to a head; the page does not scroll. */
  function reveal([layer, head]) {
    const { offsetLeft, offsetWidth } = heads[layer * input.heads + head].element;
    const isVisible = offsetLeft >= element.scrollLeft
      && offsetLeft + offsetWidth <= element.scrollLeft + element.clientWidth;
    if (!isVisible) element.scrollLeft = offsetLeft - (element.clientWidth - offsetWidth) / 2;
  }

  const revealNext = remember(reveal);
  const observe = remember((end, toolbar, overview, views) => {
    observer?.disconnect();
    const inSight = new Set(), next = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) inSight[isIntersecting ? "add" : "delete"](target);
      show(toolbar.getBoundingClientRect().bottom <= end && inSight.has(views) && !inSight.has(overview));
    }, { rootMargin: `-${end}px 0px 0px` });
    [toolbar, overview, views].forEach((part) => next.observe(part));
    observer = next;
  });

  function show(should) {
    if (should === !element.hidden) return;
    element.hidden = !should;
    if (!should || !drawn) return;
    paint(...drawn);
    reveal(drawn[0].heads[0]);
  }

  return {
    element,
    /**
     * bar: the line that stays in sight, to which the row belongs; parts: `{ toolbar, overview, views }`, elements. Shown
     * once the toolbar is scrolled out of sight, and the overview is not in sight; measures, so call between two frames.
     */
    watch(bar, { toolbar, overview, views }) {
      const end = Math.ceil(parseFloat(getComputedStyle(bar).top) || 0) + bar.offsetHeight
        + Math.ceil(HIGH * parseFloat(getComputedStyle(element).fontSize)); // px from the top of the window
      observe(end, toolbar, overview, views);
    },
    draw(state, derived) {
      drawn = [state, derived];
      if (element.hidden) return;
      paint(state, derived);
      revealNext(state.heads[0]);
    },
    close: () => observer?.disconnect(),
  };
}
