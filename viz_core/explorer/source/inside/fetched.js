// What is large and shown by few steps, fetched with the first of them: matrices of the model, and what all keys read.

import { postForBytes } from "../shared/server.js";
import { readRecord } from "./record.js";

const OF_HEAD = ["query", "keys", "values"]; // the steps with matrices: of a head, of a layer, of the model
const OF_LAYER = ["projection", "feedforward"], OF_MODEL = ["mapping", "classifier_hidden"];
const KEPT = 8; // a feed-forward may have 20 MB

/** `{ of(record, step), retry(), busy(), close() }`. requests: for each part `url` and `body`; ondone(), onfail(error). */
export function createFetched(requests, language, ondone, onfail) {
  const fetched = new Map(), failed = new Set(), controller = new AbortController(); // name -> record, null while it is on its way

  async function ask(name, part, payload) {
    fetched.set(name, null);
    try {
      fetched.set(name, readRecord(await postForBytes(requests[part], payload, { language, signal: controller.signal })));
      for (const [other, content] of fetched) if (content && fetched.size > KEPT) fetched.delete(other);
      ondone();
    } catch (error) {
      fetched.delete(name);
      if (controller.signal.aborted) return;
      failed.add(name);
      onfail(error);
    }
  }

  return {
    /** `matrices` and `window` of a step; null if it has none, or while they are on their way. */
    of(record, step) {
      const payloads = { matrices: matricesOf(record, step), window: windowOf(record, step) }, parts = {};
      const names = Object.values(payloads).map((payload) => JSON.stringify(payload));
      for (const name of failed) if (!names.includes(name)) failed.delete(name); // asked for again once another was shown
      Object.entries(payloads).forEach(([part, payload], index) => {
        const name = names[index];
        if (payload && !fetched.has(name) && !failed.has(name)) ask(name, part, payload);
        parts[part] = fetched.get(name) ?? null;
      });
      return parts;
    },
    retry: () => failed.clear(),
    busy: () => [...fetched.values()].includes(null),
    close: () => controller.abort(),
  };
}

/** What is asked for; null where a step has no matrices. */
function matricesOf({ kind, layer, head }, step) {
  if (OF_HEAD.includes(step)) return { kind, layer, head, step };
  if (OF_LAYER.includes(step)) return { kind, layer, head: 0, step };
  return OF_MODEL.includes(step) ? { kind, layer: 0, head: 0, step } : null;
}

/** The same for the window: what its keys read depends on no change but one that is made in every layer. */
function windowOf({ kind, layer, norm, window: { start, length }, state: { changes } }, step) {
  const isShown = step === "query" ? kind !== "cross" : ["keys", "values"].includes(step) || (step === "attention_norm" && norm === "pre");
  const key = start + Math.floor(length / 2); // in the middle of it, so that the server chooses the same
  return isShown ? { kind, layer, head: 0, query: 0, key, changes: changes.everywhere ? changes : {}, window: true } : null;
}
