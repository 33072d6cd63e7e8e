// Which view stands in which column, by the room there is. Columns that hold nothing visible take no room.

import { el } from "./dom.js";

const COLUMNS = [
  { least: 1500, views: [["overview", "distribution"], ["heatmap"], ["text", "links"]] },
  { least: 900, views: [["overview", "text", "distribution"], ["heatmap", "links"]] },
  { least: 0, views: [["overview", "heatmap", "text", "links", "distribution"]] },
];
const SHARES = { overview: 5, heatmap: 7, text: 6, distribution: 5, links: 7 }; // of the width, by a column's first view

/** `{ element, arrange(width, shown) }`: the views in columns; `elements` by name, `shown` the names of visible ones. */
export function createLayout(elements) {
  const root = el("div", { class: "views", tabindex: "-1" });
  let arranged = "";
  return {
    element: root,
    arrange(width, shown) {
      const { views } = COLUMNS.find(({ least }) => width >= least);
      const columns = views.map((names) => names.filter((name) => shown.includes(name))).filter((names) => names.length);
      const key = JSON.stringify(columns);
      if (key === arranged) return;
      arranged = key;
      const focused = root.getRootNode().activeElement;
      root.style.gridTemplateColumns = columns.map(([first]) => `minmax(0, ${SHARES[first]}fr)`).join(" ");
      root.replaceChildren(...columns.map((names) => el("div", { class: "column" }, ...names.map((name) => elements[name]))));
      // Moving an element takes the focus from it, and with it the keys from the explorer.
      if (focused && !focused.isConnected) root.focus({ preventScroll: true });
      else if (focused && focused !== root.getRootNode().activeElement) focused.focus({ preventScroll: true });
    },
  };
}
