// Text boxes, prediction and explorer as one instrument: every key is sent to the server, and what comes back is drawn.

/** @import { Explorer, Head, TextInput, Instrument, Prediction, ServerRequest, State } from "../shared/records.js" */

import { createHistory } from "../explorer/comparison/history.js";
import { typedTexts } from "../explorer/comparison/texts.js";
import { openExplorer } from "../explorer/explorer.js";
import { effectsOf } from "../explorer/matters.js";
import { headsFromLink, toLink } from "../explorer/selection.js";
import { unpack } from "../explorer/unpack.js";
import { el } from "../shared/dom.js";
import { createQueue } from "../shared/queue.js";
import { same } from "../shared/remember.js";
import { scrollToTop } from "../shared/scroll.js";
import { post, postForBytes, Refusal } from "../shared/server.js";
import { applyTheme } from "../shared/theme.js";
import { translator } from "../shared/translator.js";
import { createBoxes } from "./boxes.js";
import { carrySelection } from "./carry.js";
import { createPrediction } from "./prediction.js";
import { createReferences } from "./reference.js";

const REST = 600; // ms without a key after which the rest of the page follows
const DIM = 150; // ms after which what is shown while a request is under way is dimmed
const KNOWN = 20; // texts remembered as reported to the server

/**
 * Opens the instrument in the elements `.instrument` and `.explorer` of `parent`. opening: what the page was drawn with
 * (pages/explore/instrument.py). report(name, value): tells the page: `texts` at rest, `selection`; `inside`, to go to
 * the page about the inside of attention; `corpus`, to that of the head; `test`, to open what-if with changes. earlier: what `close()` of its predecessor
 * returned, so that another language, theme or model keeps the texts and the selection; if
 * the browser went back or forward in between, those of the page replace them.
 *
 * `data-idle` on the `.instrument`: whether everything typed is drawn and reported.
 *
 * @param {TextInput & { turns: number, instrument: Instrument }} opening
 * @param {(name: string, value: object) => void} report
 * @param {{ texts: string[], known: string[][], history: ReturnType<typeof createHistory>, before: Prediction | null,
 *   shown: { input: TextInput, state: State } | null, turns: number } | null} [earlier]
 */
export function openInstrument(parent, opening, report, earlier = null) {
  const [top, root] = [".instrument", ".explorer"].map((selector) => parent.querySelector(selector));
  const { theme, language, catalogue, instrument } = opening, say = translator(catalogue);
  const history = earlier?.history ?? createHistory();
  if (earlier && earlier.turns !== opening.turns) {
    if (earlier.shown) history.add(earlier.shown.input); // typed, but perhaps not at rest yet
    earlier = null;
  }
  const known = earlier?.known.some((texts) => same(texts, instrument.texts)) ? earlier.known : [instrument.texts];
  const texts = earlier && known === earlier.known ? earlier.texts : instrument.texts;
  const boxes = createBoxes(instrument, say, ontext, rest), prediction = createPrediction(say);
  const spoken = el("p", { class: "spoken", role: "status" });
  const queue = createQueue(fetchInput, ondone, onfail, { again: ask });
  const references = createReferences(instrument.request, { language, say }, (state) => explorer?.compare(state));
  const visit = String(Math.random()); // requests of one page replace each other while they wait at the server
  /** @type {TextInput} */
  let input;
  /** @type {Explorer | null} */
  let explorer = null;
  let before = earlier?.before ?? null; // the prediction of the last text at rest
  let reported = opening.selection ?? {}, resting = true, restTimer = 0, dimTimer = 0, { choices } = opening;

  applyTheme(top, theme);
  top.lang = language;
  top.replaceChildren(boxes.element, ...prediction.elements, spoken);
  boxes.set(texts);
  if (same(texts, instrument.texts)) open(opening);
  else {
    const shown = earlier?.shown, sameModel = shown?.input.model === instrument.request.body.model;
    open(shown && sameModel ? { ...shown.input, theme, language, catalogue, instrument } : opening);
    ask();
  }
  if (known !== earlier?.known) references.open(opening.selection ?? {}, texts);
  finish();

  function open(first) {
    if (first.tokens) show(first, earlier?.shown);
    else prediction.refuse(instrument.refusal);
  }

  function ontext() {
    resting = false;
    clearTimeout(restTimer);
    restTimer = setTimeout(rest, REST);
    ask();
  }

  function ask() {
    queue.send(boxes.texts());
    if (!dimTimer) dimTimer = setTimeout(() => dim(true), DIM);
    top.dataset.idle = "false";
  }

  async function fetchInput(texts, signal) {
    const blank = texts.findIndex((text) => !text.trim());
    if (blank >= 0) throw new Refusal(instrument.blank[blank]); // as the server would say
    const selection = explorer ? toLink(explorer.selection(), input) : {};
    const bytes = await postForBytes(instrument.request, { texts, selection, visit }, { language, signal });
    return { ...unpack(bytes), theme, language, catalogue, instrument };
  }

  function ondone(next) {
    show(next);
    if (explorer) references.follow(explorer.selection(), next);
    afterResponse();
  }

  function onfail(sentence) {
    prediction.refuse(sentence ?? say("no_server"));
    root.classList.add("stale");
    afterResponse();
  }

  function afterResponse() {
    clearTimeout(dimTimer);
    dimTimer = queue.busy() ? setTimeout(() => dim(true), DIM) : 0;
    dim(false);
    finish();
  }

  function dim(on) {
    for (const element of [root, prediction.element]) element.classList.toggle("pending", on);
  }

  /** Draws an input in place of the last one. earlier: `{ input, state }` to carry over from. */
  function show(next, earlier = explorer && { input, state: explorer.selection() }) {
    const selection = earlier ? carrySelection(earlier.state, earlier.input, next) : {};
    input = next;
    root.classList.remove("stale");
    root.hidden = !next.layers; // a model without attention
    prediction.show(next, selection.reference?.prediction ?? before);
    if (explorer) explorer.show(next, selection);
    else if (next.layers) openIn(root, next, selection);
  }

  function openIn(root, next, selection) {
    root.style.minHeight = `${root.offsetHeight}px`; // or the page would scroll while there is nothing in it
    explorer = openExplorer(root, next, selection, onselect, { history, open: reopen, inside,
      isCompact: root.classList.contains("compact"),
      ...(instrument.corpus ? { corpus } : {}),
      ...(instrument.test ? { tested, test, openTest } : {}),
      ...(instrument.examples.length ? { stepExample: boxes.stepExample } : {}) });
    requestAnimationFrame(() => requestAnimationFrame(() => { root.style.minHeight = ""; }));
  }

  /** Goes back to an input of this visit. */
  function reopen(next) {
    boxes.set(typedTexts(next));
    ontext();
    rest();
  }

  function rest() {
    clearTimeout(restTimer);
    resting = true;
    finish();
  }

  /** Once the person rests and everything typed is drawn: the page follows, and screen readers hear the prediction. */
  function finish() {
    if (!resting || queue.busy()) return;
    top.dataset.idle = "true";
    if (queue.isLost()) return;
    const current = boxes.texts();
    if (input && same(typedTexts(input), current)) {
      history.add(input);
      before = input.prediction;
    }
    if (!same(known.at(-1), current)) {
      known.push(current);
      known.splice(0, known.length - KNOWN);
      if (explorer) reported = toLink(explorer.selection(), input);
      report("texts", { texts: current, selection: reported });
      spoken.textContent = prediction.text();
    }
  }

  /** A selection is reported once the page knows the text that it is made in. */
  function onselect(state) {
    const link = toLink(state, input);
    const isNew = Object.keys({ ...link, ...reported }).some((name) => link[name] !== reported[name]);
    if (!isNew || !same(known.at(-1), boxes.texts())) return;
    report("selection", reported = link);
  }

  /** Goes to the page that follows how the selected weight came about. */
  function inside() {
    if (explorer) report("inside", { texts: typedTexts(input), selection: toLink(explorer.selection(), input) });
  }

  /** Goes to the page of the selected head. */
  function corpus() {
    if (explorer) report("corpus", { head: toLink(explorer.selection(), input).head });
  }

  /** The class whose probability may change. */
  function tested({ prediction: { predicted, labels } }) {
    return predicted < 0 ? null : labels[predicted];
  }

  /** What the prediction does without the heads, and without the tokens. */
  async function test({ input, heads, tokens }, signal) {
    const [masked, removed] = await Promise.all([predict(input, { masked: heads, control: "if_quick" }, signal), predict(input, { deleted: tokens }, signal)]);
    return effectsOf(input.prediction, masked, removed);
  }

  /** The prediction after changes. */
  async function predict(input, changes, signal) {
    return (await post(/** @type {ServerRequest} */ (instrument.test), { texts: typedTexts(input), ...changes }, { language, signal })).json();
  }

  /** Opens the full test of the changes, which scrolls to itself. */
  function openTest(/** @type {{ heads?: Head[], tokens?: number[] }} */ { heads, tokens }) {
    report("test", { texts: typedTexts(input), changes: heads ? { masked: heads } : { deleted: tokens } });
  }

  return {
    /** Whether the page may send this: it is what the browser has told it, or older. */
    knows: (texts) => known.some((other) => same(other, texts)),
    /** After a run of the page: what failed is asked for again; what was selected below the explorer is selected in it, with what it is compared to. */
    follow(next) {
      queue.retry();
      if (next.choices === choices || !explorer) return;
      choices = next.choices;
      const heads = headsFromLink(next.selection?.head ?? "", input);
      if (!heads.length) return;
      explorer.select({ heads });
      references.open(next.selection ?? {}, typedTexts(input));
      scrollToTop(root);
      root.focus({ preventScroll: true });
    },
    close() {
      queue.close();
      references.close();
      clearTimeout(restTimer);
      clearTimeout(dimTimer);
      const shown = explorer ? { input, state: explorer.selection() } : null;
      explorer?.close();
      return { texts: boxes.texts(), known, history, before, shown, turns: opening.turns };
    },
  };
}
