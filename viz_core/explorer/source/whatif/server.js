// What the server is asked: at most one question at a time, and of those that wait only the newest.

import { post, Refusal } from "../shared/server.js";

/**
 * `send(question)`; `onanswer(answer, question)` and `onfailure(sentence, question)` are called in order, the sentence null
 * where the server did not say one. A question with `control` takes longer, and is dropped where another one comes.
 */
export function createRequests({ request, language }, onanswer, onfailure) {
  let waiting = null, flight = null, closed = false;

  async function work() {
    while (waiting && !closed) {
      const question = waiting;
      waiting = null;
      flight = { patient: question.control, aborting: new AbortController() };
      try {
        const response = await post(request, question, { language, signal: flight.aborting.signal });
        const answer = await response.json();
        flight = null;
        if (!closed) onanswer(answer, question);
      } catch (error) {
        const dropped = flight?.aborting.signal.aborted;
        flight = null;
        if (closed || dropped) continue;
        if (!(error instanceof Refusal)) console.error(error);
        onfailure(error instanceof Refusal ? error.message : null, question);
      }
    }
  }

  return {
    send(question) {
      const idle = !flight && !waiting;
      waiting = question;
      if (idle) work();
      else if (flight?.patient) flight.aborting.abort();
    },
    busy: () => Boolean(flight || waiting),
    close() { closed = true; flight?.aborting.abort(); },
  };
}

/** By how much each head, masked alone, moves the last class: `[[…], …]`, layers of heads. */
export async function fetchEffects({ request, language }) {
  const response = await post(request, { effects: true }, { language });
  return (await response.json()).effects;
}
