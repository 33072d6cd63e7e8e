// A text of a language model: what it expected at each token, and how it goes on.

/** @import { Catalogue, GenerationOpening, GenerationState, Theme } from "../shared/records.js" */

import { createBoxes } from "../instrument/boxes.js";
import { el } from "../shared/dom.js";
import { createQueue } from "../shared/queue.js";
import { remember } from "../shared/remember.js";
import { post, Refusal } from "../shared/server.js";
import { createStore } from "../shared/store.js";
import { applyTheme } from "../shared/theme.js";
import { translator } from "../shared/translator.js";
import { readFrames } from "../translation/frames.js";
import { createChat } from "./chat.js";
import { createExpected } from "./expected.js";
import { EMPTY, grow } from "./result.js";
import { createSettings } from "./settings.js";
import { fromLink, putToken, toLink, toRequest } from "./state.js";
import { createWords } from "./words.js";

const REST = 600; // ms without a change after which the page hears of it
const MORE = 24; // tokens that are written at once

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
  const store = createStore(earlier ? (earlier.model === model ? earlier.state : { ...earlier.state, written: [], at: null })
    : fromLink(generation.link), draw);
  const tell = remember((link) => report("link", link), toLink(store.get()));
  const visit = String(Math.random()); // requests of one page replace each other
  const queue = createQueue(run, finish, onfail, { again: ({ most }) => ask(most), canWait: () => false });
  /** @type {Pick<GenerationState, "text" | "chat" | "system" | "written">[]} what can be taken back to */
  let past = [];
  let result = EMPTY, problem = "", restTimer = 0, more = 0;

  const { examples, limit, most } = generation;
  const chat = createChat(say, generation, (isChat) => {
    if (isChat === store.get().chat) return;
    keep();
    set({ chat: isChat, written: [], at: null });
  }, (system) => set({ system, written: [], at: null }), rest);
  const boxes = createBoxes({ boxes: [say("prompt")], examples, limit, most }, say,
    () => set({ text: boxes.texts()[0], written: [], at: null }), rest);
  const settings = createSettings(say, store.get, set);
  const words = createWords(say, (at) => {
    store.set({ at });
    rest();
  });
  const expected = createExpected(say, put);
  const write = el("button", { type: "button", class: "write", title: say("write_help", { count: MORE }), onclick: () => goOn(MORE) },
    say("write"));
  const one = el("button", { type: "button", class: "one", onclick: () => goOn(1) }, say("write_one"));
  const stop = el("button", { type: "button", class: "stop", onclick: () => ask(0) }, say("stop"));
  const undo = el("button", { type: "button", class: "undo", onclick: takeBack }, say("undo"));
  const explore = el("button", { type: "button", class: "explore", title: say("explore_help"), onclick: () => {
    report("explore", read());
  } }, say("explore"));
  const notices = el("div", { class: "about" }), spoken = el("p", { class: "spoken", role: "status" });
  const refusal = el("p", { class: "refusal", hidden: true });

  applyTheme(root, theme);
  root.lang = language;
  root.classList.add("translation", "generation");
  root.replaceChildren(
    el("div", { class: "top" },
      el("div", { class: "left" }, chat.element, boxes.element, notices, settings.element),
      el("section", { class: "right", "aria-label": say("words") },
        el("div", { class: "buttons" }, write, one, stop, undo, explore), refusal, words.element, expected.element)),
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

  /** What the model reads. */
  function read() {
    const { text, chat: isChat, system, written } = store.get();
    return { text, chat: isChat, system, written };
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
    show({ ...read(), text: changed.text, written: changed.written }, changed.after);
  }

  function takeBack() {
    const before = past.at(-1);
    past = past.slice(0, -1);
    if (before) show(before);
  }

  function show(patch, count = 0) {
    boxes.set([patch.text]);
    chat.set(patch);
    set({ ...patch, at: null }, count);
  }

  function ask(count) {
    root.dataset.idle = "false";
    more = count;
    store.touch();
    queue.send({ state: store.get(), most: count });
  }

  /** Sends a request, and draws what has arrived. */
  async function run({ state, most: count }, signal) {
    const response = await post(generation.request, { ...toRequest(state), most: count, visit }, { language, signal });
    let done = false;
    for await (const { json } of readFrames(response)) {
      if (signal.aborted) return;
      if (json.error) throw new Refusal(json.error, json.status);
      result = grow(result, json);
      if (json.step) {
        store.set({ written: [...store.get().written, json.step.id] });
        more -= 1; // asked again, it writes what is left
      }
      problem = "";
      ({ done } = result);
      store.touch();
    }
    if (!done) throw new Error("the response has no end");
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
    words.draw(result, selected);
    expected.draw(result, state, selected);
    const isWriting = queue.busy() && more > 0;
    stop.hidden = !isWriting;
    write.hidden = one.hidden = isWriting;
    write.disabled = one.disabled = Boolean(problem);
    undo.disabled = !past.length;
    explore.disabled = Boolean(problem) || !result.steps.length;
  }

  function rest() {
    clearTimeout(restTimer);
    restTimer = 0;
    finish();
  }

  /** Once everything is drawn and nothing is being typed: the link follows, and screen readers hear what was written. */
  function finish() {
    store.touch();
    if (restTimer || queue.busy()) return;
    store.flush();
    root.dataset.idle = "true";
    const written = result.labels.slice(result.starts.length).join("");
    const sentence = problem || [written, result.notice, ...result.notices].filter(Boolean).join(" ");
    if (spoken.textContent !== sentence) spoken.textContent = sentence;
    tell(toLink(store.get()));
  }

  return {
    retry: queue.retry,
    close() {
      queue.close();
      clearTimeout(restTimer);
      store.close();
      return { state: store.get(), model };
    },
  };
}
