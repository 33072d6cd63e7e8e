// The explorer below the translation: opened with the first one, then shown the next ones.

/** @import { Explorer, Input } from "../shared/records.js" */

import { openExplorer } from "../explorer/explorer.js";
import { toLink } from "../explorer/selection.js";
import { unpack } from "../explorer/unpack.js";

/**
 * `{ show(packed, word), select(word), stale(on), close() }`. first: theme, language, catalogue and `link` of the page.
 * onchange(link, word): another selection; the word whose query is selected in the cross-attention, or null. inside(link):
 * the visitor wants to follow how the selected weight came about; none where that is not shown. matters: `tested`, `test`
 * and `openTest`, of explorer/matters.js.
 */
export function createAttention(root, { theme, language, catalogue, link }, onchange, inside, matters) {
  /** @type {Explorer | null} */
  let explorer = null;
  root.hidden = true;

  function follow(state, shown) {
    onchange(toLink(state, shown), shown.kind === "cross" ? state.query : null);
  }

  /** The query that produces a word has the same position, in cross-attention and in causal attention. */
  const queryOf = (/** @type {Input} */ { kind }, word) => (kind === "self" || word === null ? {} : { query: word });

  return {
    show(packed, word) {
      const next = unpack(packed), attention = next.ofKind?.(explorer?.input().kind ?? link.kind) ?? next;
      const input = /** @type {Input} */ ({ ...attention, theme, language, catalogue, selection: link });
      root.hidden = false;
      if (explorer) explorer.show(input, { query: null, key: null, ...queryOf(input, word) });
      else explorer = openExplorer(root, input, link.query ? {} : queryOf(input, word), follow,
        { ...matters, ...(inside ? { inside: () => explorer && inside(toLink(explorer.selection(), explorer.input())) } : {}) });
    },
    select(word) {
      const input = explorer?.input();
      if (input && input.kind !== "self") explorer?.show(input, queryOf(input, word));
    },
    stale: (on) => root.classList.toggle("stale", on),
    close: () => explorer?.close(),
  };
}
