// The explorer below the translation: opened with the first one, then shown the next ones.

/** @import { Explorer, Input } from "../shared/records.js" */

import { openExplorer } from "../explorer/explorer.js";
import { toLink } from "../explorer/selection.js";
import { unpack } from "../explorer/unpack.js";

/**
 * `{ show(packed, word), select(word), stale(on), close() }`. first: theme, language, catalogue and `link` of the page.
 * onchange(link, word): another selection; the word whose query is selected in the cross-attention, or null. inside(link):
 * the visitor wants to follow how the selected weight came about; none where that is not shown.
 */
export function createAttention(root, { theme, language, catalogue, link }, onchange, inside) {
  /** @type {Explorer | null} */
  let explorer = null;
  /** @type {Input} */
  let input;
  let kind = link.kind;
  root.hidden = true;

  function follow(state, shown) {
    input = shown;
    kind = shown.kind;
    onchange(toLink(state, shown), kind === "cross" ? state.query : null);
  }

  /** The query that produces a word has the same position, in cross-attention and in causal attention. */
  const queryOf = (word) => (input.kind === "self" || word === null ? {} : { query: word });

  return {
    show(packed, word) {
      const next = unpack(packed), attention = next.ofKind?.(kind) ?? next;
      input = { ...attention, theme, language, catalogue, selection: link };
      root.hidden = false;
      if (explorer) explorer.show(input, { query: null, key: null, ...queryOf(word) });
      else explorer = openExplorer(root, input, link.query ? {} : queryOf(word), follow,
        inside ? { inside: () => inside(toLink(explorer?.selection(), input)) } : {});
    },
    select(word) {
      if (explorer && input.kind !== "self") explorer.show(input, queryOf(word));
    },
    stale: (on) => root.classList.toggle("stale", on),
    close: () => explorer?.close(),
  };
}
