// A translation as it is made: the source, the words with their candidates, beam search, teacher forcing and what-if.

/** @import { Catalogue, Theme, TranslationOpening, TranslationState } from "../shared/records.js" */

import { typedTexts } from "../explorer/comparison/texts.js";
import { effectsOfWord } from "../explorer/matters.js";
import { createBoxes } from "../instrument/boxes.js";
import { el } from "../shared/dom.js";
import { createQueue } from "../shared/queue.js";
import { remember } from "../shared/remember.js";
import { post, Refusal } from "../shared/server.js";
import { createStore } from "../shared/store.js";
import { applyTheme } from "../shared/theme.js";
import { joinTexts, translator } from "../shared/translator.js";
import { createAttention } from "./attention.js";
import { createBeam } from "./beam.js";
import { createCandidates } from "./candidates.js";
import { createChanges } from "./changes.js";
import { createExposure } from "./exposure.js";
import { readFrames } from "./frames.js";
import { createReference } from "./reference.js";
import { createReplay } from "./replay.js";
import { EMPTY, grow, leastSure, takeBack } from "./result.js";
import { createSettings } from "./settings.js";
import { fromLink, isGreedy, toLink, toRequest, withoutChanges } from "./state.js";
import { createWords } from "./words.js";

const REST = 600; // ms without a change after which the page hears of it

/**
 * Opens the translation in the elements `.instrument` and `.explorer` of `parent`. opening: what the page was drawn with
 * (pages/shared/translating.py). report(name, value): tells the page what is set, `link`, and to go to the page about the
 * inside of attention, `inside`. earlier: what `close()` of its predecessor returned, so that another language or theme keeps everything.
 *
 * `data-idle` on the `.instrument`: whether everything is drawn and reported.
 *
 * @param {{ theme: Theme, language: string, catalogue: Catalogue, translation: TranslationOpening }} opening
 * @param {(name: string, value: object) => void} report
 * @param {{ state: TranslationState, selection: Record<string, string>, model: string } | null} [earlier]
 */
export function openTranslation(parent, opening, report, earlier = null) {
  const root = parent.querySelector(".instrument");
  const { theme, language, catalogue, translation } = opening, say = translator(catalogue);
  const same = earlier?.model === translation.request.body.model;
  const store = createStore(earlier ? (same ? earlier.state : withoutChanges(earlier.state)) : first(), draw);
  const tell = remember((link) => report("link", link), toLink(store.get()));
  let result = EMPTY, problem = "", fresh = true, restTimer = 0, selection = {}, shown = []; // shown: ids of the translation in the explorer
  /** @type {TranslationState | null} the state before the visitor's own word, while it is asked for */
  let beforeWord = null;
  let isStale = true; // whether a problem means that what is drawn is not what was asked for
  const visit = String(Math.random()); // requests of one page replace each other
  const queue = createQueue(translate, ondone, onfail, { again: ask, canWait: () => false });

  const { examples, limit, most, source, begin, hasInside } = translation;
  const boxes = createBoxes({ boxes: [source], examples, limit, most }, say, () => setText(boxes.texts()[0]), rest);
  const reference = createReference(say, most, (text) => set({ reference: text }), rest);
  const settings = createSettings(say, store.get, (patch) => set({ ...patch, ...("view" in patch ? onView() : {}) }));
  const words = createWords(say, (word) => {
    replay.reset();
    select(word);
    attention.select(word);
  });
  const candidates = createCandidates(say, begin, feed);
  const beam = createBeam(say, theme.text, (path) => set({ fed: path.map((word, position) => [position, word]), word: null }));
  const changes = createChanges(translation, say, store.get, set, () => set(withoutChanges(store.get())));
  const exposure = createExposure(say);
  const attention = createAttention(parent.querySelector(".explorer"),
    { theme, language, catalogue: translation.explorer, link: earlier?.selection ?? translation.link }, onattention,
    hasInside && ((link) => report("inside", {
      text: store.get().text, outputs: isGreedy(store.get()) ? [] : outputs(), ...link })), { tested, test, openTest });
  const showAttention = remember((packed) => {
    shown = outputs();
    attention.show(packed, selectedWord());
  });
  const replay = createReplay(say, () => {
    store.touch();
    store.flush();
    attention.select(selectedWord());
  });
  const notices = el("div", { class: "about" }), spoken = el("p", { class: "spoken", role: "status" });
  const title = el("h2"), refusal = el("p", { class: "refusal", hidden: true });

  applyTheme(root, theme);
  root.lang = language;
  root.classList.add("translation");
  root.replaceChildren(
    el("div", { class: "top" },
      el("div", { class: "left" }, boxes.element, notices, reference.element,
        el("div", { class: "how" }, settings.element, changes.element), exposure.element),
      el("section", { class: "right", "aria-label": say("target") },
        el("header", {}, title, replay.element, settings.exposure), refusal, words.element, changes.original,
        candidates.element)),
    beam.element, spoken);
  boxes.set([store.get().text]);
  ask();

  /** The state of the link; in training with the reference of an example, if it names none. */
  function first() {
    const state = fromLink(translation.link, translation);
    return state.view === "training" && !state.reference.trim() ? { ...state, reference: referenceOf(state.text) } : state;
  }

  function select(word) {
    store.set({ word });
    rest();
  }

  /** Another selection in the explorer: a query of the cross-attention is a word of the translation. */
  function onattention(link, word) {
    selection = link;
    if (word !== null && word !== selectedWord()) select(word);
    else finish();
  }

  function selectedWord() {
    const { word } = store.get(), { steps, done } = takeBack(result, replay.count), newest = steps.length - 1;
    if (replay.count < Infinity) return newest;
    if (word !== null && word <= newest) return word;
    return done && newest >= 0 ? leastSure(steps) : newest;
  }

  const outputs = () => result.steps.map(({ id }) => id);

  /** The word whose probability may change; none of a model that is changed already. */
  function tested({ kind }, { sides, token }) {
    const { masked, blocked } = store.get();
    return kind !== "cross" || token === null || masked.length + blocked.length ? null : sides.query.labels[token];
  }

  /** What the word does without the heads, and without the source tokens. */
  async function test({ input, query, heads, tokens }, signal) {
    const [text] = typedTexts(input.sides.key); // while another is typed
    const asked = { text, outputs: shown, word: query, masked: heads, blocked: tokens };
    return effectsOfWord(await (await post(translation.effects, asked, { language, signal })).json());
  }

  /** The translation with the change, below which the one without it stands. */
  function openTest({ heads = [], tokens = [] }) {
    set({ masked: heads, blocked: tokens });
  }

  // A reference belongs to one sentence: that of an example is known, another is the visitor's to write.
  function referenceOf(sentence) {
    return translation.examples.find(({ texts }) => texts[0] === sentence)?.reference ?? "";
  }

  function setText(text) {
    set({ ...withoutChanges(store.get()), text, reference: referenceOf(text) });
  }

  /** The other view: training begins with the example's reference, or with the translation that is there, to be edited. */
  function onView() {
    const { text, reference: written } = store.get();
    return { word: null, reference: written.trim() ? written : referenceOf(text) || (result.text ?? "") };
  }

  function set(patch) {
    beforeWord = null;
    store.set(patch);
    ask();
    clearTimeout(restTimer);
    restTimer = setTimeout(rest, REST);
  }

  /** Puts a word at a position, after the words that stand before it now. */
  function feed(position, word) {
    const words = result.steps.slice(0, position).map(({ token }, index) => [index, token]), before = store.get();
    set({ fed: [...words, [position, word]], word: position });
    beforeWord = before;
  }

  function ask() {
    root.dataset.idle = "false";
    fresh = true;
    isStale = true;
    replay.reset();
    store.touch();
    const state = store.get();
    if (state.view === "training" && !state.reference.trim()) {
      queue.cancel();
      problem = say("reference_missing");
      result = { ...EMPTY, source: result.source };
      return ondone();
    }
    queue.send(state);
  }

  /** Sends a request, and draws what has arrived. */
  async function translate(item, signal) {
    if (!item.text.trim()) throw new Refusal(translation.blank); // as the server would say
    const response = await post(translation.request, { ...toRequest(item), visit }, { language, signal });
    for await (const piece of readFrames(response)) {
      if (signal.aborted) return;
      if (piece.json?.error) throw new Refusal(piece.json.error, piece.json.status);
      result = grow(fresh ? EMPTY : result, piece);
      fresh = false;
      problem = "";
      // What was there stays until the first word has come: nothing jumps while a person types.
      if (result.steps.length) store.touch();
    }
    if (!result.done) throw new Error("the response has no end");
  }

  function ondone() {
    beforeWord = null;
    store.touch();
    finish();
  }

  /** A word that the model does not know is not taken: what was there remains. */
  function onfail(sentence) {
    problem = sentence ?? say("no_server");
    if (sentence && beforeWord) {
      store.set(beforeWord);
      isStale = false;
    }
    ondone();
  }

  function draw(state) {
    const selected = selectedWord(), shown = takeBack(result, replay.count);
    title.textContent = say(state.view === "training" ? "target_training" : "target");
    root.classList.toggle("stale", Boolean(problem) && isStale);
    refusal.classList.toggle("missing", problem === say("reference_missing"));
    refusal.hidden = !problem;
    refusal.textContent = problem;
    notices.replaceChildren(...result.notices.map((sentence) => el("p", { class: "notice" }, sentence)));
    settings.draw(state);
    reference.draw(state);
    words.draw(shown, state, selected);
    replay.draw(result, state);
    exposure.draw(result, state);
    candidates.draw(shown, state, selected);
    beam.draw(shown, state);
    changes.draw(result, state);
    attention.stale(Boolean(problem) && isStale);
    if (result.done && result.packed) showAttention(result.packed);
  }

  function rest() {
    clearTimeout(restTimer);
    restTimer = 0;
    finish();
  }

  /** Once everything is drawn and nothing is being typed: the link follows, and screen readers hear the translation. */
  function finish() {
    if (restTimer || queue.busy()) return;
    store.flush();
    root.dataset.idle = "true";
    const sentence = problem || joinTexts(result.text ?? "", ...result.notices);
    if (spoken.textContent !== sentence) spoken.textContent = sentence;
    tell({ ...selection, ...toLink(store.get()) });
  }

  return {
    retry: queue.retry,
    close() {
      queue.close();
      clearTimeout(restTimer);
      store.close();
      replay.reset();
      attention.close();
      return { state: store.get(), selection, model: translation.request.body.model };
    },
  };
}
