// What the server is asked: at most one question at a time, and of those that wait only the newest.

/**
 * `ask(question)`; `answered(answer, question)` and `failed(sentence, question)` are called in order, the sentence null
 * where the server did not say one. A question with `control` takes longer, and is dropped where another one comes.
 */
export function createAsker({ request, language }, answered, failed) {
  let waiting = null, flight = null, closed = false;

  async function work() {
    while (waiting && !closed) {
      const question = waiting;
      waiting = null;
      flight = { patient: question.control, aborting: new AbortController() };
      try {
        const answer = await post(request, language, question, flight.aborting.signal);
        flight = null;
        if (!closed) answered(answer, question);
      } catch (error) {
        const dropped = flight?.aborting.signal.aborted;
        flight = null;
        if (closed || dropped) continue;
        if (!(error instanceof Refusal)) console.error(error);
        failed(error instanceof Refusal ? error.message : null, question);
      }
    }
  }

  return {
    ask(question) {
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
  return (await post(request, language, { effects: true })).effects;
}

class Refusal extends Error {}

async function post({ url, body }, language, question, signal) {
  const response = await fetch(new URL(url, document.baseURI), {
    method: "POST", headers: { "Content-Type": "application/json", "Accept-Language": language }, signal,
    body: JSON.stringify({ ...body, ...question }) });
  if (response.ok) return response.json();
  const said = await response.json().catch(() => null);
  throw said?.error ? new Refusal(said.error) : new Error(`${response.status} ${response.statusText}`);
}
