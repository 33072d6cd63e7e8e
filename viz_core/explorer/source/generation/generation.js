// A text of a language model: what it expected at each token, and how it goes on.

/** @import { Catalogue, GenerationOpening, GenerationState, Theme } from "../shared/records.js" */

import { createBoxes } from "../instrument/boxes.js";
import { el } from "../shared/dom.js";
import { createQueue } from "../shared/queue.js";
import { remember } from "../shared/remember.js";
import { createStore } from "../shared/store.js";
import { applyTheme } from "../shared/theme.js";
import { translator } from "../shared/translator.js";
import { createBranches } from "./branches.js";
import { createButtons } from "./buttons.js";
import { createChat } from "./chat.js";
import { createExpected } from "./expected.js";
import { framesOf } from "./frames.js";
import { EMPTY, grow } from "./result.js";
import { createSettings } from "./settings.js";
import { fromLink, putToken, toLink, toRequest, waits } from "./state.js";
import { createWords } from "./words.js";

const ANEW = { written: [], kept: [], at: null }; // of another text
const REST = 600; // ms without a change after which the page hears of it

/**
 * Opens the text in the element `.instrument` of `parent`. opening: what the page was drawn with (pages/generation/page.py).
 * report(name, value): tells the page what is set, `link`; to `explore` the whole text. earlier: what `close()` of its
 * predecessor returned, so that another language or theme keeps everything.
 *
 * `data-idle` on the `.instrument`: whether everything is drawn and reported.
 *
 * @param {{ theme: Theme, language: string, catalogue: Catalogue, generation: GenerationOpening }} opening
 * @param {(name: string, value: object) => void} report
 * @param {{ state: GenerationState, model: string } | null} [earlier]
 */
export function openGeneration(parent, opening, report, earlier = null) {
  const root = parent.querySelector(".instrument");
  const { theme, language, catalogue, generation } = opening, say = translator(catalogue);
  const { model } = generation.request.body;
  const store = createStore(earlier ? (earlier.model === model ? earlier.state : { ...earlier.state, ...ANEW })
    : fromLink(generation.link), draw);
  const tell = remember((link) => report("link", link), toLink(store.get()));
  const visit = String(Math.random()); // requests of one page replace each other
  const queue = createQueue(run, finish, onfail, { again: ({ most }) => ask(most), canWait: () => false });
  /** @type {Pick<GenerationState, "text" | "chat" | "system" | "turns" | "written" | "kept">[]} what can be taken back to */
  let past = [];
  let result = EMPTY, problem = "", restTimer = 0, more = 0;

  const { examples, limit, most } = generation;
  const chat = createChat(say, generation, (isChat) => {
    if (isChat === store.get().chat) return;
    keep();
    set({ chat: isChat, ...ANEW });
  }, (system) => set({ system, ...ANEW }), rest, editTurn);
  const boxes = createBoxes({ boxes: [say("prompt")], examples, limit, most }, say,
    () => set({ text: boxes.texts()[0], ...ANEW }), rest);
  const settings = createSettings(say, store.get, set);
  const words = createWords(say, select);
  const branches = createBranches(say, generation.request, {
    onselect: select, onswap: swap, ondrop: () => keepBranch([]), ondone: finish });
  const expected = createExpected(say, put);
  const buttons = createButtons(say, {
    onwrite: goOn, onstop: () => ask(0), onundo: takeBack, onreply: reply, onkeep: () => keepBranch(store.get().written), onexplore: leave });
  const notices = el("div", { class: "about" }), spoken = el("p", { class: "spoken", role: "status" });
  const refusal = el("p", { class: "refusal", hidden: true });

  applyTheme(root, theme);
  root.lang = language;
  root.classList.add("translation", "generation");
  root.replaceChildren(
    el("div", { class: "top" },
      el("div", { class: "left" }, chat.element, boxes.element, notices, settings.element),
      el("section", { class: "right", "aria-label": say("words") },
        buttons.element, refusal, words.element, branches.element, expected.element)),
    spoken);
  boxes.set([store.get().text]);
  chat.set(store.get());
  ask(0);

  /** Another text, token or setting: asks for what follows from it. */
  function set(patch, count = 0) {
    store.set(patch);
    ask(count);
    clearTimeout(restTimer);
    restTimer = setTimeout(rest, REST);
  }

  function select(at) {
    store.set({ at });
    rest();
  }

  /** What the model reads, and the continuation that was kept. */
  function read() {
    const { text, chat: isChat, system, turns, written, kept } = store.get();
    return { text, chat: isChat, system, turns, written, kept };
  }

  /** To the explorer, with the whole text. */
  function leave() {
    const { kept: _kept, ...text } = read();
    report("explore", { ...text, turns: toRequest(store.get()).turns });
  }

  function keep() {
    past = [...past, read()];
  }

  function goOn(count) {
    keep();
    set({ at: null }, count);
  }

  /** Puts a token at a position; after it as many as before are written. */
  function put(position, id) {
    const changed = putToken(store.get(), result, position, id);
    if (!changed) return;
    keep();
    const { text, written } = changed, { kept } = store.get();
    show({ ...read(), text, written, kept: text === store.get().text ? kept : [] }, changed.after);
  }

  /** Keeps this continuation beside the one that goes on; none drops it. */
  function keepBranch(kept) {
    keep();
    store.set({ kept });
    branches.take(store.get(), result);
    rest();
  }

  function swap() {
    const { written, kept } = store.get(), isRead = !queue.busy();
    keep();
    const swapped = { ...store.get(), written: kept, kept: written };
    if (isRead && written.length) branches.take(swapped, result);
    set({ written: kept, kept: written, at: null });
  }

  /** The answer becomes a turn, and the next message is written. */
  function reply() {
    const { text, turns } = store.get();
    keep();
    show({ ...ANEW, text: "", turns: [...turns, { message: text, answer: result.answer.trim() }] });
    boxes.element.querySelector("textarea")?.focus();
  }

  /** Back to an earlier message. */
  function editTurn(place) {
    const { turns } = store.get();
    keep();
    show({ ...ANEW, text: turns[place].message, turns: turns.slice(0, place) });
    boxes.element.querySelector("textarea")?.focus();
  }

  function takeBack() {
    const before = past.at(-1);
    past = past.slice(0, -1);
    if (before) show(before);
  }

  function show(patch, count = 0) {
    boxes.set([patch.text]);
    if ("system" in patch) chat.set(patch);
    set({ ...patch, at: null }, count);
  }

  function ask(count) {
    root.dataset.idle = "false";
    more = count;
    store.touch();
    queue.send({ state: store.get(), most: count });
    branches.follow(store.get());
  }

  /** Sends a request, and draws what has arrived. */
  async function run({ state, most: count }, signal) {
    for await (const json of framesOf(generation.request, { ...toRequest(state), most: count, visit }, signal)) {
      result = grow(result, json);
      if (json.step) {
        store.set({ written: [...store.get().written, json.step.id] });
        more -= 1; // asked again, it writes what is left
      }
      problem = "";
      store.touch();
    }
  }

  function onfail(sentence) {
    problem = sentence ?? say("no_server");
    finish();
  }

  function draw(state) {
    const selected = state.at !== null && state.at < result.steps.length ? state.at : null;
    root.classList.toggle("stale", Boolean(problem));
    refusal.hidden = !problem;
    refusal.textContent = problem;
    notices.replaceChildren(...result.notices.map((sentence) => el("p", { class: "notice" }, sentence)));
    chat.draw(state);
    settings.draw(state);
    words.draw(result, selected, state.kept.length ? { to: result.starts.length } : {});
    branches.draw(result, state, selected);
    expected.draw(result, state, selected);
    const isBusy = queue.busy();
    const isWaiting = waits(state), hasTurns = state.chat && generation.chat.turns;
    buttons.draw({ isWriting: isBusy && more > 0, isRefused: Boolean(problem), canWrite: !isWaiting, canUndo: past.length > 0,
      canReply: hasTurns ? state.written.length > 0 && result.done && !isBusy : null,
      canKeep: state.written.length > 0 && !isBusy, canExplore: result.steps.length > 0 });
  }

  function rest() {
    clearTimeout(restTimer);
    restTimer = 0;
    finish();
  }

  /** Once everything is drawn and nothing is being typed: the link follows, and screen readers hear what was written. */
  function finish() {
    store.touch();
    if (restTimer || queue.busy() || branches.busy()) return;
    store.flush();
    root.dataset.idle = "true";
    const written = result.labels.slice(result.starts.length).join("");
    const sentence = problem || [written, result.notice, ...result.notices].filter(Boolean).join(" ");
    if (spoken.textContent !== sentence) spoken.textContent = sentence;
    tell(toLink(store.get()));
  }

  return {
    retry() {
      queue.retry();
      branches.retry();
    },
    close() {
      queue.close();
      branches.close();
      clearTimeout(restTimer);
      store.close();
      return { state: store.get(), model };
    },
  };
}
