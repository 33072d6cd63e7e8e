// The exact weights of heads: those that came with the input, those fetched since, and the means made of them.

import { post } from "../shared/server.js";
import { meanWeights } from "./attention.js";
import { joined } from "./unpack.js";

const HELD_BYTES = 16 * 2 ** 20; // fetched heads that are kept; at 512 tokens a head takes half a megabyte
/** Up to so many heads are fetched one by one, so that each can be told apart; of more, the server sends the mean. */
export const APART = 8;

const keyOf = (heads) => heads.map(([layer, head]) => `${layer}.${head}`).join("+");

/** `arrived()` is called when fetched weights are there, `failed()` when they will not come. */
export function createMatrices(input, arrived, failed) {
  const held = new Map(), asked = new Map();
  let recent = { key: "", weights: null };

  function matrix(heads) {
    const key = keyOf(heads), found = held.get(key);
    if (found) { // last used, last dropped
      held.delete(key);
      held.set(key, found);
    }
    return found ?? (heads.length === 1 ? input.matrix(...heads[0]) : null);
  }

  function weights(heads) {
    const key = keyOf(heads);
    if (recent.key === key) return recent.weights;
    const whole = heads.length > 1 && matrix(heads);
    const parts = whole ? [whole] : heads.map((one) => matrix([one]));
    if (parts.includes(null)) return null;
    recent = { key, weights: meanWeights(parts) };
    return recent.weights;
  }

  async function fetchMatrix(heads) {
    const response = await post(input.request, { heads });
    const bytes = new Uint8Array(await response.arrayBuffer()), count = input.tokens ** 2;
    if (bytes.length !== 2 * count) throw new Error(`${bytes.length} bytes for ${input.tokens} tokens`);
    const fetched = joined(bytes, count);
    held.set(keyOf(heads), fetched);
    for (const oldest of held.keys()) {
      if (held.size * fetched.byteLength <= HELD_BYTES) break;
      held.delete(oldest);
    }
  }

  /** Fetches what is not held of these heads, each once. */
  async function want(heads) {
    if (!input.request || weightsHeld(heads)) return;
    const parts = heads.length <= APART ? heads.filter((one) => !has(one)).map((one) => [one]) : [heads];
    try {
      await Promise.all(parts.map((part) => {
        const key = keyOf(part);
        if (!asked.has(key)) asked.set(key, fetchMatrix(part).finally(() => asked.delete(key)));
        return asked.get(key);
      }));
      arrived();
    } catch (error) {
      console.error(error);
      failed();
    }
  }

  const has = (one) => held.has(keyOf([one])) || input.has(...one);
  const weightsHeld = (heads) => held.has(keyOf(heads)) || heads.every(has);

  return { weights, want };
}
