// What a visitor has set: in the link, in the requests, and on the page.

/** @import { GenerationState } from "../shared/records.js" */

/** @type {GenerationState} */
export const DEFAULTS = {
  text: "", chat: false, system: "", turns: [], written: [], kept: [], without: "", method: "greedy", temperature: 1, topK: 0, topP: 1, seed: 0, at: null,
};
export const METHODS = ["greedy", "sample"];
export const TOP_KS = [0, 1, 2, 5, 10, 20, 50, 100];

/**
 * Whether a chat waits for the next message of the person: what is shown ends with the last answer.
 *
 * @param {GenerationState} state
 */
export const waits = ({ text, chat, turns }) => chat && turns.length > 0 && !text.trim();

/** The body of a request. */
export function toRequest({ text, chat, system, turns, written, without, method, temperature, topK, topP, seed }) {
  const masked = headsOf(without) ?? [];
  return { text, chat, system, turns: turns.map(({ message, answer }) => [message, answer]), written, masked, decoding: { method, temperature, top_k: topK, top_p: topP, seed } };
}

/**
 * The heads that a person has typed, `29.3 18.5`, as places from 0; null if it is something else.
 *
 * @param {string} typed
 * @returns {[number, number][] | null}
 */
export function headsOf(typed) {
  const names = typed.split(/[\s,，、]+/).filter(Boolean);
  if (!names.every((name) => /^[1-9]\d{0,3}\.[1-9]\d{0,3}$/.test(name))) return null;
  return names.map((name) => /** @type {[number, number]} */ (name.split(".").map((place) => Number(place) - 1)));
}

/**
 * The state as the strings of a link. Tokens count from 1.
 *
 * @param {GenerationState} state
 * @returns {Record<string, string>}
 */
export function toLink({ text, chat, system, turns, written, kept, without, method, temperature, topK, topP, seed, at }) {
  return {
    text, chat: chat ? "1" : "", system, turns: linkOfTurns(turns), written: written.join(" "), kept: kept.join(" "), without, decoding: method,
    temperature: String(temperature), top_k: String(topK), top_p: String(topP), seed: String(seed), word: at === null ? "" : String(at + 1),
  };
}

/** Earlier messages with their answers as a link has them, empty without any. */
export const linkOfTurns = (turns) => (turns.length ? JSON.stringify(turns.map(({ message, answer }) => [message, answer])) : "");

/**
 * What such a link has; nothing if it was mistyped.
 *
 * @param {string} link
 * @returns {{ message: string, answer: string }[]}
 */
function turnsOfLink(link) {
  try {
    const turns = JSON.parse(link || "[]");
    const isWhole = Array.isArray(turns) && turns.every((turn) => (
      Array.isArray(turn) && turn.length === 2 && turn.every((part) => typeof part === "string")));
    return isWhole ? turns.map(([message, answer]) => ({ message, answer })) : [];
  } catch {
    return [];
  }
}

/**
 * The state that a link describes; what it does not name, or names wrongly, is as by default.
 *
 * @param {Record<string, string>} link
 * @returns {GenerationState}
 */
export function fromLink(link) {
  const number = (name, low, high, other) => {
    const value = Number(link[name]);
    return link[name] && value >= low && value <= high ? value : other;
  };
  const tokens = (name) => {
    const ids = (link[name] ?? "").split(" ").filter(Boolean).map(Number);
    return ids.every((id) => Number.isInteger(id) && id >= 0) ? ids : [];
  };
  const word = number("word", 1, Infinity, 0);
  return {
    text: link.text ?? "",
    chat: link.chat === "1",
    system: link.system ?? "",
    turns: turnsOfLink(link.turns ?? ""),
    written: tokens("written"),
    kept: tokens("kept"),
    without: headsOf(link.without ?? "") ? link.without ?? "" : "",
    method: METHODS.includes(link.decoding) ? link.decoding : DEFAULTS.method,
    temperature: number("temperature", 0.1, 2, DEFAULTS.temperature),
    topK: TOP_KS.includes(Number(link.top_k)) ? Number(link.top_k) : DEFAULTS.topK,
    topP: number("top_p", 0.05, 1, DEFAULTS.topP),
    seed: Math.trunc(number("seed", 0, 2 ** 31 - 1, DEFAULTS.seed)),
    at: Number.isInteger(word) && word ? word - 1 : null,
  };
}

/**
 * The text with another token at a position, and how many tokens follow it there now: those are written anew. given: of
 * `starts`, where the tokens of the typed text begin. null where nothing would be left before it.
 *
 * @param {GenerationState} state
 * @param {{ starts: number[], steps: unknown[] }} result
 * @param {number} position
 * @param {number} id
 */
export function putToken({ text, written }, { starts, steps }, position, id) {
  const after = Math.max(steps.length - position - 1, 0), given = starts.length;
  if (position >= given) return { text, written: [...written.slice(0, position - given), id], after };
  const before = text.slice(0, starts[position]);
  return before ? { text: before, written: [id], after } : null;
}
