// A text in pieces, `[string, token]`; token -1: characters between tokens.

import { el } from "../shared/dom.js";

const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u; // line ends and control characters: nothing to see or to click on
const JOINER = /\u200d/g; // holds emoji together

/**
 * The line of one text: a span for each unit, with plain text between them. Adds the spans to `spans`, by unit. side: the
 * side of the attention that the text belongs to (units.js).
 */
export function createLine(say, side, pieces, units, spans) {
  const line = el("div", { class: "typed" });
  let between = "", last = -1;
  for (const [string, token] of withTail(pieces)) {
    const unit = token < 0 ? -1 : units.of[token];
    if (token < 0) between += string;
    else if (unit === last) spans[unit].append(between + string); // the word continues
    else line.append(between, spans[unit] = createToken(side, string, token, unit));
    if (token >= 0) [between, last] = ["", unit];
    if (token >= 0 && side.unknown[token]) spans[unit].classList.add("unknown");
  }
  // Several tokens may be bytes of one character, which only the first of them shows.
  for (const span of line.querySelectorAll(".token:empty")) span.append(el("i", { class: "untyped" }, "·"));
  // Words without tokens occur only at the end, where the text was truncated.
  line.append(isReadable(between) ? el("span", { class: "unread", title: say("unread") }, between) : between);
  return line;
}

/** A token as typed, or its label where it would be invisible; special tokens as chips. */
function createToken(side, string, token, unit) {
  if (side.groups[token] < 0) return el("span", { class: "token chip", "data-unit": unit }, side.labels[token]);
  const invisible = INVISIBLE.test(string.replace(JOINER, ""));
  const text = invisible ? side.labels[token] + (string.includes("\n") ? "\n" : "") : string;
  return el("span", { class: "token", "data-unit": unit }, text);
}

/** The pieces with trailing punctuation moved before the final [SEP]. */
function withTail(pieces) {
  const [sep, tail] = pieces.slice(-2);
  const ends = sep && tail && sep[0] === "" && tail[1] < 0 && !isReadable(tail[0]);
  return ends ? [...pieces.slice(0, -2), tail, sep] : pieces;
}

/** Whether it contains letters or digits, ignoring HTML line breaks. */
const isReadable = (string) => /[\p{L}\p{N}]/u.test(string.replace(/<br\s*\/?>/gi, ""));
