// Requests to the server: the prediction under changes, and the effect of each head.

import { createQueue } from "../shared/queue.js";
import { post } from "../shared/server.js";

/** A queue of changes (queue.js). A request with `control` takes longer, and is aborted when another arrives. */
export function createRequests({ request, tracked, language }, ondone, onfail, again) {
  const send = async (changes, signal) => (await post(request, { ...changes, tracked }, { language, signal })).json();
  return createQueue(send, ondone, onfail, { again, canWait: ({ control }) => !control });
}

/** Change of the probability of the tracked class when each head is masked alone: `[[…], …]`, `(L, H)`. */
export async function fetchEffects({ request, tracked, language }) {
  const response = await post(request, { effects: true, tracked }, { language });
  return (await response.json()).effects;
}
