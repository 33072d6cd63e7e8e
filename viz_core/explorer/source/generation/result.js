// What is known of a text so far: grows with every frame.

/** @import { GenerationResult } from "../shared/records.js" */

/** @type {GenerationResult} */
export const EMPTY = { labels: [], starts: [], special: [], steps: [], notices: [], next: [], notice: "", done: false };

/**
 * The result after another frame of the server. The candidates stay until there are others: nothing jumps.
 *
 * @param {GenerationResult} result
 * @param {any} json
 * @returns {GenerationResult}
 */
export function grow(result, json) {
  if (json.read) return { ...EMPTY, next: result.next, ...json.read };
  if (json.step) {
    return { ...result, steps: [...result.steps, json.step], labels: [...result.labels, json.step.token],
      special: [...result.special, ...json.special] };
  }
  if (json.next) return { ...result, next: json.next, special: [...result.special, ...json.special], notice: json.notice };
  return { ...result, done: true };
}
