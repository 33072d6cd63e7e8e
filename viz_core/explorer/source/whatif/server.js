// Requests to the server: the prediction under changes, and the effect of each head.

import { createQueue } from "../shared/queue.js";
import { post, Refusal } from "../shared/server.js";

/**
 * `send(changes)`; `onresponse(response, changes)` and `onfailure(message, changes)` are called in order; the message
 * is null where the server did not respond. A request with `control` takes longer, and is aborted when another arrives.
 */
export function createRequests({ request, language }, onresponse, onfailure) {
  const send = async (changes, signal) => (await post(request, changes, { language, signal })).json();
  return createQueue(send, onresponse, (error, changes) => {
    if (!(error instanceof Refusal)) console.error(error);
    onfailure(error instanceof Refusal ? error.message : null, changes);
  }, ({ control }) => !control);
}

/** Change of the probability of the tracked class when each head is masked alone: `[[…], …]`, `(L, H)`. */
export async function fetchEffects({ request, language }) {
  const response = await post(request, { effects: true }, { language });
  return (await response.json()).effects;
}
