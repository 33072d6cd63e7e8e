// Does it matter? What the prediction does without the head, beside what it does without another one, and without the
// word that the head attends to. Each is a door to the full test on the page.

/** @import { Derived, Head, Input, State } from "../shared/records.js" */

import { el } from "../shared/dom.js";
import { quoted, tokenName } from "../shared/names.js";
import { createQueue } from "../shared/queue.js";
import { remember } from "../shared/remember.js";
import { strongestOf } from "./selected.js";

const REST = 400; // ms without another selection or key after which the server is asked
const KNOWN = 200; // answers kept
export const LEAST = 0.05; // change of a probability that counts

/**
 * `{ element, draw(state, derived), close() }`. visit.test(input, changes, signal): the response of the route of what-if;
 * visit.openTest(changes): goes to the full test.
 */
export function createMatters(context) {
  const { say, visit } = context;
  const title = el("h3", {}, say("matters")), unit = el("span", { class: "unit" });
  const door = (changesOf) => el("button", { type: "button", title: say("matters_door"), onclick: () => {
    if (asked) visit.openTest(changesOf(asked));
  } });
  const head = door(({ heads }) => ({ masked: heads })), others = door(({ heads }) => ({ masked: heads }));
  const token = door(({ tokens }) => ({ deleted: tokens }));
  const verdict = el("p", { class: "verdict", role: "status" });
  const element = el("div", { class: "matters", role: "group", "aria-label": say("matters"), hidden: true },
    title, unit, head, others, token, verdict);
  const queue = createQueue(fetchEffects, ondone, onfail), known = new Map();
  /** @type {ReturnType<typeof questionOf>} */
  let asked = null;
  let timer = 0;

  async function fetchEffects(question, signal) {
    const { input, heads, tokens } = question;
    const masked = visit.test(input, { masked: heads, control: "if_quick" }, signal);
    const [without, removed] = await Promise.all([masked, visit.test(input, { deleted: tokens }, signal)]);
    return effectsOf(input.prediction, without, removed);
  }

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

  function write({ input, heads, unitName }, effects) {
    const { labels, predicted } = input.prediction, nameOf = ({ predicted: now, likeliest }) => likeliest ?? labels[now];
    element.classList.remove("pending");
    unit.textContent = say("matters_unit", { label: labels[predicted] });
    const flip = (now) => (now.predicted === predicted ? [] : [say("matters_now", { label: nameOf(now) })]);
    head.replaceChildren(say(heads.length > 1 ? "matters_heads" : "matters_head"), el("b", {}, points(effects.head)),
      ...flip(effects.nowOfHead));
    others.replaceChildren(say("matters_others"), el("b", {}, effects.others.map(points).join(" … ")));
    others.hidden = !effects.others.length;
    token.replaceChildren(say("matters_token", { token: quoted(unitName) }), el("b", {}, points(effects.token)),
      ...flip(effects.now));
    verdict.textContent = say(`matters_${verdictOf(effects)}`, { heads: say(heads.length > 1 ? "matters_these" : "matters_this") });
  }

  return {
    element,
    draw(state, derived) {
      asked = questionOf(context.input, state, derived);
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
 * weight; null while there is nothing to ask, as while weights are fetched or a reference is shown.
 */
export function questionOf(/** @type {Input} */ input, /** @type {State} */ { heads, reference }, /** @type {Derived} */ derived) {
  const { sides, map, key } = derived, side = sides.key;
  if (!map || reference || derived.over !== "key" || input.prediction.predicted < 0) return null;
  const isWord = (unit) => side.groups[unit] >= 0;
  const unit = key !== null && isWord(key) ? key : strongestOf(derived, isWord);
  if (unit === null) return null;
  const tokens = Array.from(side.of.keys()).filter((token) => side.of[token] === unit);
  return { input, heads, tokens, unitName: tokenName(side, unit), name: JSON.stringify([input.id, heads, tokens]) };
}

/**
 * Changes of the probability of the predicted class: `head`, `others` (the smallest and the largest of the other heads;
 * empty where there are none), `token`, and `now` and `nowOfHead`, the responses without the token and without the head.
 */
export function effectsOf({ predicted }, masked, removed) {
  const { control, original } = masked;
  const others = control ? [control.low, control.high].map((value) => value - control.without) : [];
  const head = masked.probabilities[predicted] - original[predicted];
  return { head, others: others.sort((a, b) => a - b), more: others.length > 0 && others.every((other) => Math.abs(head) > Math.abs(other)), slow: masked.slow, token: removed.probabilities[predicted] - removed.original[predicted],
    now: removed, nowOfHead: masked };
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
