// What is known of a text so far: grows with every frame.

/** @import { GenerationResult } from "../shared/records.js" */

/** @type {GenerationResult} */
export const EMPTY = { labels: [], starts: [], markers: [], special: [], steps: [], notices: [], next: [], notice: "", answer: "", done: false };

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
  if (json.next) {
    return { ...result, next: json.next, special: [...result.special, ...json.special], notice: json.notice, labels: json.labels,
      answer: json.written };
  }
  return { ...result, done: true };
}

/**
 * Of the written tokens: how many there are, the sum of their log-probabilities under the model, and their perplexity.
 *
 * @param {GenerationResult} result
 */
export function summarise({ steps, starts }) {
  const logs = steps.slice(starts.length).map((step) => step?.log_probability ?? -Infinity);
  const logProbability = logs.reduce((sum, log) => sum + log, 0);
  return { count: logs.length, logProbability, perplexity: Math.exp(-logProbability / logs.length) };
}

/**
 * The first position at which two continuations of a text differ; where one ends, the other goes on there. -1 if nowhere.
 *
 * @param {GenerationResult} first
 * @param {GenerationResult} second
 */
export function firstDifference({ steps, starts }, { steps: others }) {
  const longer = steps.length > others.length ? steps : others;
  return longer.findIndex((_, position) => position >= starts.length && steps[position]?.id !== others[position]?.id);
}
