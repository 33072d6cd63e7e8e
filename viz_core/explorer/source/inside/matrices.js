// The large matrices of a layer, fetched when a step is shown that is followed by them.

import { post } from "../shared/server.js";
import { readRecord } from "./record.js";

const STEPS = ["mapping", "projection", "feedforward", "classifier_hidden"];

/** `{ of(record, step), busy(), close() }`. request: `url` and `body`; ondone(), onfail(error): once there is a response. */
export function createMatrices(request, language, ondone, onfail) {
  const fetched = new Map(), controller = new AbortController(); // name -> record, null while it is on its way
  let failed = null;

  async function ask(name, payload) {
    fetched.set(name, null);
    try {
      const response = await post(request, payload, { language, signal: controller.signal });
      fetched.set(name, readRecord(new Uint8Array(await response.arrayBuffer())));
      ondone();
    } catch (error) {
      fetched.delete(name);
      if (controller.signal.aborted) return;
      failed = name;
      onfail(error);
    }
  }

  return {
    /** Those of a step for the layer of a record; null if it has none, or while they are on their way. */
    of({ kind, layer }, step) {
      if (!STEPS.includes(step)) return null;
      const name = [kind, layer, step].join();
      if (failed !== name) failed = null; // once another was shown, it is asked for again
      if (!fetched.has(name) && failed !== name) ask(name, { kind, layer, step });
      return fetched.get(name) ?? null;
    },
    busy: () => [...fetched.values()].includes(null),
    close: () => controller.abort(),
  };
}
