// Which view stands in which column, by the room there is. Columns that hold nothing visible take no room.

import { el } from "../shared/dom.js";

const COLUMNS = [ // from so many letters' heights on: on a projector, where type is large, there is room for fewer
  { least: 107, views: [["overview", "distribution"], ["heatmap"], ["text", "links"]] },
  { least: 64, views: [["overview", "text", "distribution"], ["heatmap", "links"]] },
  { least: 0, views: [["overview", "heatmap", "text", "links", "distribution"]] },
];
const SHARES = { overview: 5, heatmap: 7, text: 6, distribution: 5, links: 7 }; // of the width, by a column's first view

/**
 * `{ element, arrange(room, shown) }`: the views in columns. `elements` by name; room: the width, in heights of the type;
 * shown: the names of the visible views.
 */
export function createLayout(elements) {
  const root = el("div", { class: "views", tabindex: "-1" });
  let arranged = "";
  return {
    element: root,
    arrange(room, shown) {
      const { views } = COLUMNS.find(({ least }) => room >= least);
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
