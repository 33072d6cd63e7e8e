// Requests to the server of which only the newest matters; a busy server is asked again.

import { Refusal } from "./server.js";

const PATIENCE = 10_000; // ms after which a request without a response is given up when a newer one waits
const BUSY = 503, AGAIN = 1000; // status of a server with too many requests; ms until it is asked again

/**
 * At most one request is under way; of those that wait, only the newest is sent, so that responses arrive in order.
 *
 * run(item, signal): sends a request and returns a promise. ondone(result, item), onfail(sentence, item): called in the
 * order of the items; not for those that were overtaken or given up. sentence: why the server refused, null where it did
 * not respond. canWait(item): whether an item under way is left to finish when a newer one arrives. again(item): sends
 * once more what the server was too busy for or did not respond to; by default the same item.
 *
 * @template Item, Result
 * @param {(item: Item, signal: AbortSignal) => Promise<Result>} run
 * @param {(result: Result, item: Item) => void} ondone
 * @param {(sentence: string | null, item: Item) => void} onfail
 * @param {{ canWait?: (item: Item) => boolean, again?: (item: Item) => void }} [options]
 */
export function createQueue(run, ondone, onfail, options = {}) {
  const { canWait = () => true, again = send } = options;
  /** @type {{ item: Item } | null} */
  let waiting = null;
  /** @type {{ item: Item, controller: AbortController, start: number } | null} */
  let flight = null;
  /** @type {{ item: Item } | null} of the last request, if the same may succeed later */
  let lost = null;
  let timer = 0, closed = false;

  async function work() {
    while (waiting && !closed) {
      const { item } = waiting, controller = new AbortController();
      waiting = null;
      flight = { item, controller, start: performance.now() };
      const outcome = await run(item, controller.signal).then((result) => ({ result }), (error) => ({ error }));
      if (flight?.controller !== controller) return; // cancelled: another loop may be running
      flight = null;
      if (closed || controller.signal.aborted) continue;
      if ("error" in outcome) fail(outcome.error, item);
      else {
        lost = null;
        ondone(outcome.result, item);
      }
    }
  }

  function send(item) {
    const idle = !flight && !waiting;
    clearTimeout(timer);
    waiting = { item };
    if (idle) work();
    else if (flight && (!canWait(flight.item) || performance.now() - flight.start > PATIENCE)) flight.controller.abort();
  }

  /** What follows from an error; also of a request beside the queue. */
  function fail(error, item) {
    const isRefused = error instanceof Refusal, isBusy = isRefused && error.status === BUSY;
    if (!isRefused) console.error(error);
    lost = !isRefused || isBusy ? { item } : null;
    clearTimeout(timer);
    if (isBusy) timer = setTimeout(again, AGAIN, item);
    onfail(isRefused ? error.message : null, item);
  }

  return {
    send, fail,
    busy: () => Boolean(flight || waiting),
    isLost: () => Boolean(lost),
    /** Asks again if the last request was lost. */
    retry: () => { if (lost) again(lost.item); },
    /** Gives up everything: nothing is called for what was sent before. */
    cancel() {
      clearTimeout(timer);
      flight?.controller.abort();
      flight = waiting = lost = null;
    },
    close() {
      closed = true;
      clearTimeout(timer);
      flight?.controller.abort();
    },
  };
}
