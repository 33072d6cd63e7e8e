// Requests of which only the newest matters.

const PATIENCE = 10_000; // ms after which a request without a response is given up when a newer one waits

/**
 * At most one request is under way; of those that wait, only the newest is sent, so that responses arrive in order.
 *
 * run(item, signal): sends a request and returns a promise. ondone(result, item), onfail(error, item): called in the
 * order of the items; not for those that were overtaken or given up. canWait(item): whether an item under way is left
 * to finish when a newer one arrives.
 */
export function createQueue(run, ondone, onfail, canWait = (_item) => true) {
  let waiting = null, flight = null, closed = false;

  async function work() {
    while (waiting && !closed) {
      const { item } = waiting, controller = new AbortController();
      waiting = null;
      flight = { item, controller, start: performance.now() };
      const outcome = await run(item, controller.signal).then((result) => ({ result }), (error) => ({ error }));
      if (flight?.controller !== controller) return; // cancelled: another loop may be running
      flight = null;
      if (closed || controller.signal.aborted) continue;
      if ("error" in outcome) onfail(outcome.error, item);
      else ondone(outcome.result, item);
    }
  }

  return {
    send(item) {
      const idle = !flight && !waiting;
      waiting = { item };
      if (idle) work();
      else if (flight && (!canWait(flight.item) || performance.now() - flight.start > PATIENCE)) {
        flight.controller.abort();
      }
    },
    /** Gives up everything: nothing is called for what was sent before. */
    cancel() {
      flight?.controller.abort();
      flight = waiting = null;
    },
    busy: () => Boolean(flight || waiting),
    close() {
      closed = true;
      flight?.controller.abort();
    },
  };
}
