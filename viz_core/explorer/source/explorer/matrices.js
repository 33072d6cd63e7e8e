// The exact weights of heads: those sent with the input, those fetched since, and means over several.

/** @import { Head, Input } from "../shared/records.js" */

import { same } from "../shared/remember.js";
import { postForBytes } from "../shared/server.js";
import { meanWeights } from "./attention.js";
import { sidesOf } from "./units.js";
import { joinPlanes } from "./unpack.js";

const CACHE_BYTES = 16 * 2 ** 20; // of fetched heads; at 512 tokens a head takes half a megabyte
/**
 * Up to this many heads are sent separately, to be drawn in different colours; of more, the server sends the mean.
 */
export const MAX_SEPARATE = 8;

const keyOf = (heads) => heads.map(([layer, head]) => `${layer}.${head}`).join("+");

// input -> its fetched heads, and the mean that was sent with it: a reference outlives the input that it was pinned from.
const caches = new WeakMap();

/**
 * onarrive() is called when fetched weights have arrived, onfail() when fetching failed.
 *
 * @param {Input} input
 * @param {() => void} onarrive
 * @param {() => void} onfail
 */
export function createMatrices(input, onarrive, onfail) {
  if (!caches.has(input)) caches.set(input, new Map(input.mean ? [[keyOf(input.mean.heads), input.mean.weights]] : []));
  const cache = caches.get(input), pending = new Map();
  /** @type {{ heads: Head[], weights: Float32Array | null }} */
  let recent = { heads: [], weights: null };

  function matrix(/** @type {Head[]} */ heads) {
    const key = keyOf(heads), cached = cache.get(key);
    if (cached) { // moved to the end: the least recently used is dropped first
      cache.delete(key);
      cache.set(key, cached);
    }
    return cached ?? (heads.length === 1 ? input.matrix(...heads[0]) : null);
  }

  /** The mean weights of heads, the same object until others are asked for; null if they are not here. */
  function weights(heads) {
    if (!same(heads, recent.heads)) {
      if (!hasWeights(heads)) return null;
      recent = { heads, weights: meanOf(heads) };
    }
    return recent.weights;
  }

  function meanOf(heads) {
    const mean = heads.length > 1 && matrix(heads);
    return meanWeights(mean ? [mean] : heads.map((head) => matrix([head])), input.unit);
  }

  async function fetchMatrix(request, heads) {
    const bytes = await postForBytes(request, { heads }), { query, key } = sidesOf(input);
    const count = query.tokens * key.tokens;
    if (bytes.length !== 2 * count) throw new Error(`${bytes.length} bytes for ${query.tokens} x ${key.tokens} tokens`);
    const fetched = joinPlanes(bytes, count);
    cache.set(keyOf(heads), fetched);
    for (const oldest of cache.keys()) {
      if (cache.size * fetched.byteLength <= CACHE_BYTES) break;
      cache.delete(oldest);
    }
  }

  /** Fetches the weights of these heads that are not available yet, each once. */
  async function fetchMissing(/** @type {Head[]} */ heads) {
    const { request } = input;
    if (!request || hasWeights(heads)) return;
    const parts = heads.length <= MAX_SEPARATE ? heads.filter((head) => !has(head)).map((head) => [head]) : [heads];
    try {
      await Promise.all(parts.map((part) => {
        const key = keyOf(part);
        if (!pending.has(key)) pending.set(key, fetchMatrix(request, part).finally(() => pending.delete(key)));
        return pending.get(key);
      }));
      onarrive();
    } catch (error) {
      console.error(error);
      onfail();
    }
  }

  const has = (/** @type {Head} */ head) => cache.has(keyOf([head])) || input.has(...head);
  const hasWeights = (heads) => cache.has(keyOf(heads)) || heads.every(has);

  return { weights, weightsOfEach: (heads) => heads.map((head) => meanOf([head])), fetchMissing };
}
