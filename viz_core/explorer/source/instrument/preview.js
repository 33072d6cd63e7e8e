// An example on a page: the explorer without text boxes and toolbar.

import { openExplorer } from "../explorer/explorer.js";

/** As `openInstrument`; nothing is reported, because nothing on the page depends on it. */
export function openPreview(parent, opening, report, earlier = {}) {
  const root = parent.querySelector(".explorer"), explorer = openExplorer(root, opening, earlier, undefined, { isPreview: true });
  root.classList.add("preview");
  return {
    knows: () => true,
    retry() {},
    close() {
      const state = explorer.selection();
      explorer.close();
      return state;
    },
  };
}
