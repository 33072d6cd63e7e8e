// What a visitor has set: in the link, in the requests, and on the page.

export const DEFAULTS = {
  text: "", view: "generation", method: "greedy", temperature: 1, seed: 0, width: 4, reference: "", fed: [], masked: [],
  blocked: [], word: null,
};
export const METHODS = ["greedy", "sample", "beam"];
export const VIEWS = ["generation", "training"];
export const WIDTHS = [1, 2, 3, 4, 5, 6, 8];

/** @import { Head, TranslationState } from "../shared/records.js" */

/** The words that are put there. In training all words are the reference's; those of the generation wait. */
export const fedWords = ({ view, fed }) => (view === "training" ? [] : fed);

/** Whether anything of the model or its words is changed. */
export const isChanged = (state) => fedWords(state).length + state.masked.length + state.blocked.length > 0;

/** Whether the translation is what anybody gets who enters the text alone. */
export const isGreedy = (state) => state.view === "generation" && state.method === "greedy" && !isChanged(state);

/** The state without changes, which refer to one sentence and its translation. */
export const withoutChanges = (state) => ({ ...state, fed: [], masked: [], blocked: [], word: null });

/** The body of a request. */
export function toRequest(state) {
  const { text, view, method, temperature, seed, width, reference, masked, blocked } = state;
  return {
    text, fed: fedWords(state), masked, blocked, decoding: { method, temperature, seed, width },
    ...(view === "training" ? { reference } : {}),
  };
}

/**
 * The state as the strings of a link; empty where nothing is changed. Heads, tokens and words count from 1.
 *
 * @param {TranslationState} state
 * @returns {Record<string, string>}
 */
export function toLink(state) {
  return {
    view: state.view, decoding: state.method, temperature: String(state.temperature), seed: String(state.seed),
    width: String(state.width), text: state.text, reference: state.view === "training" ? state.reference : "",
    fed: fedWords(state).map(([position, word]) => `${position + 1}:${word}`).join(" "),
    masked: state.masked.map(([layer, head]) => `${layer + 1}.${head + 1}`).join(" "),
    blocked: state.blocked.map((token) => token + 1).join(" "),
    word: state.word === null ? "" : String(state.word + 1),
  };
}

/**
 * The state that a link describes; what it does not name, or names wrongly, is as by default.
 *
 * @param {Record<string, string>} link
 * @param {{ layers: number, heads: number }} model
 * @returns {TranslationState}
 */
export function fromLink(link, { layers, heads }) {
  const parts = (name) => (link[name] ?? "").split(" ").filter(Boolean);
  const number = (name, low, high) => {
    const value = Number(link[name]);
    return link[name] && value >= low && value <= high ? value : DEFAULTS[name];
  };
  const masked = parts("masked").map((name) => /** @type {Head} */ (name.split(".").map((part) => Number(part) - 1)));
  const fed = parts("fed").map((part) => /** @type {[number, string]} */ ([parseInt(part, 10) - 1, part.slice(part.indexOf(":") + 1)]));
  const blocked = parts("blocked").map((part) => Number(part) - 1);
  return {
    ...DEFAULTS,
    text: link.text ?? "",
    reference: link.reference ?? "",
    view: VIEWS.includes(link.view) ? link.view : DEFAULTS.view,
    method: METHODS.includes(link.decoding) ? link.decoding : DEFAULTS.method,
    temperature: number("temperature", 0.1, 2),
    seed: Math.trunc(number("seed", 0, 2 ** 31 - 1)),
    width: Math.trunc(number("width", 1, 8)),
    masked: masked.filter(([layer, head]) => layer in Array(layers).fill(0) && head in Array(heads).fill(0)),
    fed: fed.filter(([position, word]) => position >= 0 && word),
    blocked: blocked.filter((token) => Number.isInteger(token) && token >= 0),
    word: link.word ? parseInt(link.word, 10) - 1 : null,
  };
}
