// A text in pieces, `[string, token]`; token -1: what stands between tokens.

import { el } from "../shared/dom.js";

const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u; // line ends and control characters: nothing to see, or to click on
const JOINER = /\u200d/g; // holds emoji together

/** A token as it was typed, or by its label where nothing of it would be seen; special tokens as chips. */
export function createToken(input, string, token, unit) {
  if (input.groups[token] < 0) return el("span", { class: "token chip", "data-unit": unit }, input.labels[token]);
  const hides = UNSEEN.test(string.replace(JOINER, ""));
  const seen = hides ? input.labels[token] + (string.includes("\n") ? "\n" : "") : string;
  return el("span", { class: "token", "data-unit": unit }, seen);
}

/** The pieces with what follows the last token before [SEP], if it is no more than a full stop. */
export function withTail(pieces) {
  const [sep, tail] = pieces.slice(-2);
  const ends = sep && tail && sep[0] === "" && tail[1] < 0 && !readable(tail[0]);
  return ends ? [...pieces.slice(0, -2), tail, sep] : pieces;
}

/** Whether a tokenizer would find words in it; line breaks of HTML are none. */
export const readable = (string) => /[\p{L}\p{N}]/u.test(string.replace(/<br\s*\/?>/gi, ""));
