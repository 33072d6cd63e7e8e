// The references that the server explains: the one that a link names, and one of another model that follows the text.

import { typedTexts } from "../explorer/comparison/texts.js";
import { CHOICES, headsFromLink } from "../explorer/selection.js";
import { unpack } from "../explorer/unpack.js";
import { createQueue } from "../shared/queue.js";
import { postForBytes } from "../shared/server.js";

/**
 * `open(selection, texts)` compares with the reference of a link (`ref_model`, `ref_head`, `ref_mode`, `ref_a`,
 * `ref_b`), without texts of its own with the same texts; `follow(state, input)` fetches a reference that follows the
 * text for a new input; `close()`. compare(state): what the explorer compares with, or why it cannot (`refusal`).
 */
export function createReferences({ url, body }, { language, say }, compare) {
  const queue = createQueue(fetchReference, compare,
    (sentence) => compare({ refusal: say("no_reference", { reason: sentence ?? say("no_response") }) }));

  async function fetchReference({ model, texts, head, ...state }, signal) {
    const request = { url, body: { ...body, model } };
    const reference = unpack(await postForBytes(request, { texts, selection: { head } }, { language, signal }));
    if (head === undefined) return { reference, refusal: "", ...state };
    const heads = headsFromLink(head, reference);
    return { reference, referenceHeads: heads.length ? heads : null, refusal: "", ...state };
  }

  return {
    open(/** @type {Record<string, string>} */ { ref_model: model, ref_head: head = "", ref_mode: mode, ref_a: first, ref_b: second }, texts) {
      if (!model) return;
      const own = first ? [first, second].filter(Boolean) : null;
      queue.send({ model, head, texts: own ?? texts, follows: !own,
        comparison: CHOICES.comparison.includes(mode) ? mode : null });
    },
    follow({ reference, follows }, input) {
      if (!follows || !reference || String(typedTexts(reference)) === String(typedTexts(input))) return;
      queue.send({ model: reference.model, texts: typedTexts(input) });
    },
    close: queue.close,
  };
}
