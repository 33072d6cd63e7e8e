// The reference that a link names.

import { headsFromLink } from "../explorer/selection.js";
import { unpack } from "../explorer/unpack.js";
import { post } from "../shared/server.js";

/**
 * The state that compares with the reference in a selection (`ref_model`, `ref_head`, `ref_a`, `ref_b`), fetched with
 * the request of the instrument; null if the selection names none, or the server does not explain it.
 */
export async function fetchReference(selection, { url, body }, language) {
  const { ref_model: model, ref_head: head, ref_a: first, ref_b: second } = selection;
  if (!model) return null;
  const texts = second ? [first, second] : [first];
  const response = await post({ url, body: { ...body, model } }, { texts, selection: { head } }, { language });
  const reference = unpack(new Uint8Array(await response.arrayBuffer())), heads = headsFromLink(head, reference);
  return { reference, referenceHeads: heads.length ? heads : null };
}
