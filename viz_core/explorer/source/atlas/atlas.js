// The atlas of heads: what stands out, a grid of layers × heads, a scatter of two statistics, and the head that is pointed
// at, which is marked in all of them. A click opens a head; a finger points at it first, and opens it when it taps again.

/** @import { Atlas } from "../shared/records.js" */

import { dropdown } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { createStore } from "../shared/store.js";
import { applyTheme } from "../shared/theme.js";
import { translator } from "../shared/translator.js";
import { createCard } from "./card.js";
import { createGrid } from "./grid.js";
import { GROUP, labelOf } from "./measures.js";
import { createScatter } from "./scatter.js";

const CHOICES = ["x", "y", "colour"];

/**
 * Draws the atlas into `root`. report(event, value): tells the page that other statistics are shown (`link`), or that a head
 * is to be opened (`open`). earlier: what `close()` of the atlas before this one returned.
 *
 * @param {HTMLElement} root
 * @param {Atlas} atlas
 * @param {(event: string, value: unknown) => void} [report]
 * @param {{ id: string, state: object } | null} [earlier]
 */
export function openAtlas(root, atlas, report = () => {}, earlier = null) {
  const say = translator(atlas.catalogue), titleOf = (name) => (name === GROUP ? say("group") : atlas.measures[name].title);
  const state = { ...atlas.link, head: atlas.named[0] ?? 0, ...(earlier?.id === atlas.id ? earlier.state : {}) };
  const store = createStore(state, draw), point = (head) => store.set({ head });
  const open = (head) => { if (atlas.opens) report("open", labelOf({ heads: atlas.heads }, head)); };
  const context = { atlas, say, store, titleOf, open };
  const grid = createGrid(context), scatter = createScatter(context), card = createCard(context);
  const pickers = CHOICES.map((choice) => createPicker(choice));
  let isTouch = false, /** @type {number | null} */ tapped = null; // how the pointer came down; the head that was tapped last

  function createPicker(choice) {
    const names = [...Object.keys(atlas.measures), ...(choice === "colour" ? [GROUP] : [])];
    const picker = dropdown(say(choice), Object.fromEntries(names.map((name) => [name, titleOf(name)])), (value) => {
      store.set({ [choice]: value });
      const { x, y, colour } = store.get();
      report("link", { x, y, colour });
    });
    return { ...picker, draw: (state) => picker.show(state[choice]) };
  }

  /** The head that an event is about, null for none. */
  const headAt = (event) => {
    const cell = event.target.closest("[data-head]");
    if (cell) return Number(cell.dataset.head);
    return scatter.element.contains(event.target) && event.target.closest("svg") ? scatter.at(event) : null;
  };

  function follow(event) {
    const head = event.pointerType === "touch" ? null : headAt(event);
    if (head !== null) point(head);
  }

  function press(event) {
    isTouch = event.pointerType === "touch";
  }

  function click(event) {
    const head = headAt(event), opens = !isTouch || tapped === head;
    [isTouch, tapped] = [false, isTouch ? head : null];
    if (head === null) return;
    point(head);
    if (opens) open(head);
  }

  const found = el("ul", { class: "found" }, ...atlas.found.map(({ text, heads }) => el("li", {},
    el("span", { class: "chips" }, ...heads.map((head) => (
      el("button", { type: "button", class: "chip", "data-head": head }, labelOf(atlas, head))))),
    el("span", {}, text))));
  /** @type {NodeListOf<HTMLElement>} */
  const chips = found.querySelectorAll(".chip");
  applyTheme(root, atlas.theme);
  root.lang = atlas.language;
  root.replaceChildren(found, el("div", { class: "views" },
    el("div", { class: "controls" }, ...pickers.map(({ element }) => element)), grid.element, scatter.element, card.element));
  const listeners = { pointerover: follow, pointermove: follow, focusin: follow, pointerdown: press, click };
  for (const [name, listen] of Object.entries(listeners)) root.addEventListener(name, listen);

  function draw(state) {
    for (const part of [...pickers, grid, scatter, card]) part.draw(state);
    for (const chip of chips) chip.toggleAttribute("data-marked", Number(chip.dataset.head) === state.head);
    root.dataset.drawn = "true";
  }

  store.touch();
  return {
    close() {
      for (const [name, listen] of Object.entries(listeners)) root.removeEventListener(name, listen);
      store.close();
      return { id: atlas.id, state: store.get() };
    },
  };
}
