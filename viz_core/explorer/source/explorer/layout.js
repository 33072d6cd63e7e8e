// Which view is in which column, depending on the width. Columns without a visible view take no space.

import { el } from "../shared/dom.js";

const COLUMNS = [ // least: width in em; on a projector, where type is large, fewer columns fit
  { least: 107, views: [["overview", "distribution"], ["heatmap"], ["text", "links"]] },
  { least: 64, views: [["overview", "text", "distribution"], ["heatmap", "links"]] },
  { least: 0, views: [["overview", "heatmap", "text", "links", "distribution"]] },
];
// Share of the width that a column takes, by its first view.
const SHARES = { overview: 5, heatmap: 7, text: 6, distribution: 5, links: 7 };

/**
 * `{ element, arrange(width, visible) }`: the views in columns. elements: by name. width: in em; visible: names of the
 * views to show.
 */
export function createLayout(elements) {
  const root = el("div", { class: "views", tabindex: "-1" });
  let arranged = "";
  return {
    element: root,
    arrange(width, visible) {
      const { views } = COLUMNS.find(({ least }) => width >= least);
      const columns = views.map((names) => names.filter((name) => visible.includes(name)))
        .filter((names) => names.length);
      const key = JSON.stringify(columns);
      if (key === arranged) return;
      arranged = key;
      const focused = root.getRootNode().activeElement;
      root.style.gridTemplateColumns = columns.map(([first]) => `minmax(0, ${SHARES[first]}fr)`).join(" ");
      root.replaceChildren(...columns.map((names) => (
        el("div", { class: "column" }, ...names.map((name) => elements[name])))));
      // Moving an element makes it lose the focus, and the explorer its shortcuts.
      if (focused && !focused.isConnected) root.focus({ preventScroll: true });
      else if (focused && focused !== root.getRootNode().activeElement) focused.focus({ preventScroll: true });
    },
  };
}
