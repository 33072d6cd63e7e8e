// Find heads: ranks them by what they attend to, over the input that is shown; beside it the mean over a corpus, where
// that was computed. The criteria are those of viz_core/analysis/heads/criteria.py.

import { dropdown } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { isTouch } from "../shared/keyboard.js";
import { givenName, headName, tokenName } from "../shared/names.js";
import { remember } from "../shared/remember.js";
import { joinTexts } from "../shared/translator.js";
import { CHOICES } from "./selection.js";

const UNRANKED = "position"; // by layer and head
const DIGITS = { entropy: 2, distance: 1 }; // the others are shares of the weight

/**
 * `{ element, draw(state), rank(state, derived), note(state, derived) }`. `rank` returns null if heads stay in their
 * order, otherwise `{ valueOf, captionOf, uniform }`, the same object until the ranking changes: two functions of layer
 * and head, and the `value` and `caption` of a uniform head, to compare with.
 */
export function createFinder(context) {
  const { say, store } = context;
  const criteria = dropdown(say("order"), Object.fromEntries(CHOICES.order.map((name) => [name, say(`order_${name}`)])),
    (name) => store.set({ order: name }));
  const rankBy = remember((input, by, first, size) => {
    const isSelected = by === "selected", means = input.corpus?.statistics[by];
    const valueOf = (layer, head) => (isSelected ? sumOver(first, size, (key) => input.received(layer, head, key))
      : input.statistics[by][layer][head]);
    const value = isSelected ? sumOver(first, size, input.receivedUniformly) : input.uniform[by];
    return {
      valueOf,
      captionOf: (layer, head) => [
        ...caption(by, headName(layer, head), valueOf(layer, head), means?.[layer][head]), ...named(givenName(input, layer, head))],
      uniform: { value, caption: caption(by, say("uniform_head"), value, means && input.corpus.uniform[by]) },
    };
  });

  /** Name and number of a head, and below it the mean over the corpus, where that is known. */
  function caption(by, name, value, mean) {
    const line = [el("b", {}, name), ` ${format(by, value)}`];
    if (mean === undefined) return line;
    return [...line, el("span", { class: "corpus" }, say("corpus_mean", { value: format(by, mean) }))];
  }

  const named = (given) => (given ? [el("span", { class: "given" }, given)] : []);

  function format(by, value) {
    if (by in DIGITS) return value.toFixed(DIGITS[by]);
    return say("percent", { value: (value * 100).toFixed(value < 0.0995 ? 1 : 0) });
  }

  /** Criteria that this attention does not have are not offered; one that needs other texts says so. */
  function offer() {
    const { kind, kinds } = context.input, needing = kinds ? [] : kind === "causal" ? ["duplicate", "induction"] : ["same"];
    for (const option of criteria.element.querySelectorAll("option")) {
      const isThere = isOffered(option.value);
      option.disabled = !isThere && needing.includes(option.value);
      option.hidden = !isThere && !option.disabled;
      option.textContent = say(`order_${worded(option.value)}${option.disabled ? "_needs" : ""}`);
    }
  }

  /** Of a causal model what stands between others is no [SEP], but the markers of a chat. */
  const worded = (name) => (name === "sep" && context.input.kind === "causal" ? "sep_causal" : name);
  const isOffered = (name) => [UNRANKED, "selected"].includes(name) || name in context.input.statistics
    || (name === "same" && context.input.pair);
  const criterion = ({ order }) => (isOffered(order) ? order : UNRANKED);
  /** Whether there is anything to rank by: a token is selected, a token of one text is also in the other. */
  const isDefined = (by, unit) => (by === "selected" ? unit !== null : by in context.input.statistics);

  return {
    element: criteria.element,
    draw(state) {
      offer();
      criteria.show(criterion(state));
    },
    rank(state, derived) {
      const by = criterion(state), unit = by === "selected" ? attendedTo(derived) : null;
      if (by === UNRANKED || !isDefined(by, unit)) return null;
      const { first, size } = derived.sides.key;
      return rankBy(context.input, by, first[unit], size[unit]);
    },
    note(state, derived) {
      const by = criterion(state), unit = attendedTo(derived), { corpus } = context.input;
      if (by === UNRANKED) return isTouch() ? say("overview_note") : joinTexts(say("overview_note"), say("overview_note_keys"));
      if (!isDefined(by, unit)) return say(`overview_note_${by}_none${derived.isSquare ? "" : "_cross"}`);
      const token = unit === null ? "" : tokenName(derived.sides.key, unit);
      const sentence = joinTexts(say(`overview_note_${worded(by)}`, { token }), say("overview_note_uniform"));
      if (!corpus?.statistics[by]) return sentence;
      return joinTexts(sentence, say("overview_note_corpus", { rows: corpus.rows.toLocaleString("en") }));
    },
  };
}

/** The unit that heads may attend to: the selected key, within one sentence any selected token; null without. */
const attendedTo = ({ isSquare, query, key }) => key ?? (isSquare ? query : null);

/** What the tokens receive together, `size` from `first` on. */
function sumOver(first, size, received) {
  let sum = 0;
  for (let token = first; token < first + size; token++) sum += received(token);
  return sum;
}
