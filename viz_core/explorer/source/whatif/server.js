// Requests to the server: at most one in flight; of those waiting, only the newest is sent.

import { post, Refusal } from "../shared/server.js";

/**
 * `send(changes)`; `onresponse(response, changes)` and `onfailure(message, changes)` are called in order; the message
 * is null where the server did not respond. A request with `control` takes longer, and is aborted when another arrives.
 */
export function createRequests({ request, language }, onresponse, onfailure) {
  let waiting = null, flight = null, closed = false;

  async function work() {
    while (waiting && !closed) {
      const changes = waiting;
      waiting = null;
      flight = { abortable: changes.control, controller: new AbortController() };
      try {
        const reply = await post(request, changes, { language, signal: flight.controller.signal });
        const response = await reply.json();
        flight = null;
        if (!closed) onresponse(response, changes);
      } catch (error) {
        const aborted = flight?.controller.signal.aborted;
        flight = null;
        if (closed || aborted) continue;
        if (!(error instanceof Refusal)) console.error(error);
        onfailure(error instanceof Refusal ? error.message : null, changes);
      }
    }
  }

  return {
    send(changes) {
      const idle = !flight && !waiting;
      waiting = changes;
      if (idle) work();
      else if (flight?.abortable) flight.controller.abort();
    },
    busy: () => Boolean(flight || waiting),
    close() { closed = true; flight?.controller.abort(); },
  };
}

/** Change of the last class's probability when each head is masked alone: `[[…], …]`, `(L, H)`. */
export async function fetchEffects({ request, language }) {
  const response = await post(request, { effects: true }, { language });
  return (await response.json()).effects;
}
