// Which view is in which column, depending on the width. Columns without a visible view take no space.

import { el } from "../shared/dom.js";
import { remember } from "../shared/remember.js";

/** From this width on, in em, two views stand side by side; so do those of a reference. A projector of 1280 px has 54. */
export const BESIDE = 52;

const COLUMNS = [ // least: width in em; on a projector, where type is large, fewer columns fit
  { least: 107, views: [["overview", "distribution"], ["heatmap"], ["text", "links"]] },
  { least: BESIDE, views: [["overview", "text", "distribution"], ["heatmap", "links"]] },
  { least: 0, views: [["heatmap", "text", "links", "overview", "distribution"]] },
];
// Share of the width that a column takes, by its first view.
const SHARES = { overview: 5, heatmap: 7, text: 6, distribution: 5, links: 7 };

const SIDE_ORDER = ["heatmap", "text", "links", "overview", "distribution"]; // from top to bottom beside a reference
/**
 * `{ element, arrange(width, visible, beside) }`: the views in columns. elements: by name.
 * width: in em; visible: names of the views to show; beside: the same views of the reference, by name, or null: then both
 * stand in rows. Returns how often views have moved, and may have got another size.
 */
export function createLayout(elements) {
  const root = el("div", { class: "views", tabindex: "-1" });
  let moves = 0;

  function arrangeColumns(columns) {
    root.style.gridTemplateColumns = columns.map(([first]) => `minmax(0, ${SHARES[first]}fr)`).join(" ");
    root.replaceChildren(...columns.map((names) => (
      el("div", { class: "column" }, ...names.map((name) => elements[name])))));
  }

  function arrangeRows(names, beside, count) {
    root.style.gridTemplateColumns = `repeat(${count}, minmax(0, 1fr))`;
    root.replaceChildren(...names.flatMap((name) => [beside[name], elements[name]]));
  }

  const place = remember((columns, visible, beside) => {
    const focused = root.getRootNode().activeElement;
    if (beside) arrangeRows(SIDE_ORDER.filter((name) => visible.includes(name)), beside, columns);
    else arrangeColumns(columns);
    // Moving an element makes it lose the focus, and the explorer its shortcuts.
    if (focused && !focused.isConnected) root.focus({ preventScroll: true });
    else if (focused && focused !== root.getRootNode().activeElement) focused.focus({ preventScroll: true });
    return ++moves;
  });

  return {
    element: root,
    arrange(width, visible, beside) {
      const arrangement = COLUMNS.find(({ least }) => width >= least);
      const columns = beside ? (width >= BESIDE ? 2 : 1)
        : arrangement?.views.map((names) => names.filter((name) => visible.includes(name))).filter((names) => names.length);
      return place(columns, visible, beside);
    },
  };
}
