// Does it matter? What a prediction, or the probability of a translated word, does without the head, beside what it does
// without another one, and without the word that the head attends to. Each is a door to the full test on the page.

/** @import { Derived, Effects, Head, Input, Question, State } from "../shared/records.js" */

import { el } from "../shared/dom.js";
import { quoted, tokenName } from "../shared/names.js";
import { createQueue } from "../shared/queue.js";
import { remember } from "../shared/remember.js";
import { strongestOf } from "./selected.js";

const REST = 400; // ms without another selection or key after which the server is asked
const KNOWN = 200; // answers kept
export const LEAST = 0.05; // change of a probability that counts

/**
 * `{ element, draw(state, derived), close() }`. visit.tested(input, derived): the name of what may change, null while there
 * is nothing; visit.test(question, signal): the effects; visit.openTest({ heads } or { tokens }): goes to the full test.
 */
export function createMatters(context) {
  const { say, visit } = context;
  const title = el("h3", {}, say("matters")), unit = el("span", { class: "unit" });
  const door = (changesOf) => el("button", { type: "button", title: say("matters_door"), onclick: () => {
    if (asked) visit.openTest(changesOf(asked));
  } });
  const head = door(({ heads }) => ({ heads })), token = door(({ tokens }) => ({ tokens }));
  const verdict = el("p", { class: "verdict", role: "status" });
  const element = el("div", { class: "matters", role: "group", "aria-label": say("matters"), hidden: true },
    title, unit, head, token, verdict);
  const queue = createQueue((question, signal) => visit.test(question, signal), ondone, onfail), known = new Map();
  /** @type {ReturnType<typeof questionOf>} */
  let asked = null;
  let timer = 0;

  function ondone(effects, question) {
    if (known.size >= KNOWN) known.delete(known.keys().next().value);
    known.set(question.name, effects);
    if (question.name === asked?.name) write(question, effects);
  }

  function onfail(_sentence, question) {
    if (question.name === asked?.name) element.hidden = true; // the page above says that the server does not respond
  }

  const ask = remember((_name) => {
    clearTimeout(timer);
    element.hidden = !asked;
    if (!asked) return;
    const effects = known.get(asked.name);
    element.classList.toggle("pending", !effects);
    if (effects) write(asked, effects);
    else timer = setTimeout(() => queue.send(asked), REST);
  });

  function write(/** @type {Question} */ { heads, tested, unitName }, /** @type {Effects} */ effects) {
    element.classList.remove("pending");
    unit.textContent = say("matters_unit", { label: tested });
    const flip = (label) => (label === null ? [] : [say("matters_now", { label })]);
    const others = effects.others.length ? [el("small", {}, say("matters_others", { range: effects.others.map(points).join(" … ") }))] : [];
    head.replaceChildren(say(heads.length > 1 ? "matters_heads" : "matters_head"), el("b", {}, points(effects.head)),
      ...flip(effects.nowOfHead), ...others);
    token.replaceChildren(say(context.input.kinds ? "matters_block" : "matters_token", { token: quoted(unitName) }), el("b", {}, points(effects.token)),
      ...flip(effects.now));
    verdict.textContent = say(`matters_${verdictOf(effects)}`, { heads: say(heads.length > 1 ? "matters_these" : "matters_this") });
  }

  return {
    element,
    draw(state, derived) {
      asked = questionOf(context.input, state, derived, visit.tested(context.input, derived));
      ask(asked?.name ?? null);
    },
    close() {
      clearTimeout(timer);
      queue.close();
    },
  };
}

/**
 * What is asked: the heads shown, and the tokens of the selected key or, without one, of the word that gets the largest
 * weight; null while there is nothing to ask, as while weights are fetched or a reference is shown. tested: the name of
 * what may change, null for nothing.
 *
 * @returns {Question | null}
 */
export function questionOf(/** @type {Input} */ input, /** @type {State} */ { heads, reference }, /** @type {Derived} */ derived,
  /** @type {string | null} */ tested) {
  const { sides, map, key, token: query } = derived, side = sides.key;
  if (!map || reference || derived.over !== "key" || tested === null) return null;
  const isWord = (unit) => side.groups[unit] >= 0;
  const unit = key !== null && isWord(key) ? key : strongestOf(derived, isWord);
  if (unit === null) return null;
  const tokens = Array.from(side.of.keys()).filter((token) => side.of[token] === unit);
  return { input, heads, query: query === null ? null : sides.query.of.indexOf(query), tokens, tested, unitName: tokenName(side, unit), name: JSON.stringify([input.id, heads, query, tokens]) };
}

/**
 * The effects on the predicted class, from the responses of the route of what-if without the head and without the tokens.
 *
 * @returns {Effects}
 */
export function effectsOf({ predicted, labels }, masked, removed) {
  const { control, original, slow = false } = masked;
  const nameOf = ({ predicted: now, likeliest }) => (now === predicted ? null : likeliest ?? labels[now]);
  return { ...compared(masked.probabilities[predicted] - original[predicted],
    control ? [control.low, control.high].map((value) => value - control.without) : []), slow,
  token: removed.probabilities[predicted] - removed.original[predicted], now: nameOf(removed), nowOfHead: nameOf(masked) };
}

/**
 * The effects on a word of a translation, from the response of pages/routes/word_effects.py.
 *
 * @returns {Effects}
 */
export function effectsOfWord({ original, masked, others, blocked, slow }) {
  const changes = others.map((other) => other - original);
  return { ...compared(masked.probability - original, others.length ? [Math.min(...changes), Math.max(...changes)] : []), slow,
    token: blocked.probability - original, now: blocked.instead, nowOfHead: masked.instead };
}

/** The change without the head, beside the smallest and the largest without others, if there are any. */
function compared(head, others) {
  return { head, others: others.sort((a, b) => a - b), more: others.length > 0 && others.every((other) => Math.abs(head) > Math.abs(other)) };
}

/**
 * What counts: the word, not the word, or `both`, this head and, less, the word. Then, of the head: it changes `more` than all
 * others, in either direction, another has a `shared` effect of that size, it is `alone`, with nothing to compare, or compared with nothing,
 * because that would be `slow`, or it changes `little`.
 */
export function verdictOf({ head, more, others, slow, token }) {
  const compared = more ? "more" : others.length ? "shared" : slow ? "slow" : "alone";
  const ofHead = Math.abs(head) < LEAST ? "little" : compared;
  const ofWord = Math.abs(token) < LEAST ? "no_word" : ofHead === "shared" && Math.abs(head) > Math.abs(token) ? "both" : "word";
  return `${ofWord}_${ofHead}`;
}

function points(change) {
  const text = (100 * Math.abs(change)).toFixed(1);
  return Number(text) ? `${change < 0 ? "−" : "+"}${text}` : "0.0";
}
