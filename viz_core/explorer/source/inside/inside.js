// Inside attention: the model as a diagram, and a head of it step by step, from the tokens to the prediction.

/** @import { InsideOpening, InsideRecord } from "../shared/records.js" */

import { el } from "../shared/dom.js";
import { hasModifier, isTaken } from "../shared/keyboard.js";
import { createQueue } from "../shared/queue.js";
import { remember } from "../shared/remember.js";
import { postForBytes } from "../shared/server.js";
import { createStore } from "../shared/store.js";
import { applyTheme } from "../shared/theme.js";
import { translator } from "../shared/translator.js";
import { createAnswer } from "./answer.js";
import { createPicker, createStepper } from "./bar.js";
import { createDiagram } from "./diagram.js";
import { createFetched } from "./fetched.js";
import { createPresentation } from "./presentation.js";
import { readRecord } from "./record.js";
import { fromRecord, NONE, START, toLink, toRequest } from "./state.js";
import { stepsOf } from "./steps.js";
import { createStep } from "./step.js";
import { viewOf } from "./view.js";
import { createZoom } from "./zoom.js";

const LARGE = 18; // px of type, as on a projector
const REST = 400; // ms without a change after which the page hears of it

/**
 * Opens it in `root`. opening: the record that the page was drawn with (record.js), with theme, language and catalogue.
 * report(link): tells the page what is shown. `data-idle` on the root: whether all that was asked for is drawn.
 *
 * @param {HTMLElement} root
 * @param {InsideOpening} opening
 * @param {(link: object) => void} report
 */
export function openInside(root, opening, report) {
  const { theme, language, catalogue, request } = opening, say = translator(catalogue);
  applyTheme(root, theme);
  root.lang = language;
  root.classList.add("explorer");
  const isLarge = theme.text >= LARGE;
  if (opening.refusal) {
    root.replaceChildren(el("p", { class: "refusal" }, opening.refusal));
    root.dataset.idle = "true";
    return { retry: () => {}, close: () => {} };
  }
  /** @type {InsideRecord} */
  let record = opening;
  let problem = "", restTimer = 0;
  const first = fromRecord(opening), isStep = stepsOf(opening).includes(first.step);
  const store = createStore({ ...first, step: isStep ? first.step : START }, draw);
  const queue = createQueue(ask, ondone, onfail, { again }), state = store.get;
  const fetched = createFetched({ matrices: opening.matrixRequest, window: request }, language, () => store.touch(), queue.fail);
  const askFor = remember(queue.send, toRequest(first)), tell = remember(report, toLink(state()));
  const presentation = createPresentation(root, say, theme, () => store.touch());
  const answer = createAnswer(say), picker = createPicker(say, set), zoom = createZoom(), diagram = createDiagram(say, set, zoom.from);
  const step = createStep({ say, theme, set, state });
  const stepper = createStepper(say, state, set, { narration: step.text, further: presentation.element });
  const refusal = el("p", { class: "refusal", role: "alert", hidden: true }), spoken = el("p", { class: "spoken", role: "status" });
  root.replaceChildren(el("div", { class: "top" }, picker.element, answer.element), diagram.element, stepper.element, refusal,
    step.element, spoken);
  const openStep = remember((_step) => zoom.into(step.element), state().step);
  const openLayer = remember((_record) => zoom.into(diagram.element.querySelector(".layer.open")), record);
  const keys = { ArrowLeft: () => stepper.move(-1), ArrowRight: () => stepper.move(1), f: presentation.toggle, Escape: presentation.leave };
  document.addEventListener("keydown", press);
  store.touch();

  /** Another layer has as many heads, but another attention other tokens. */
  function set(patch) {
    const other = "kind" in patch ? { query: 0, key: 0, changes: NONE } : {};
    store.set({ ...other, ...patch });
  }

  async function ask(wanted, signal) {
    return { ...readRecord(await postForBytes(request, wanted, { language, signal })), state: { changes: wanted.changes } };
  }

  function ondone(next) {
    record = next;
    problem = "";
    store.touch();
  }

  function onfail(sentence) {
    problem = sentence ?? say("no_server");
    store.touch();
  }

  function again() {
    fetched.retry();
    queue.send(toRequest(state()));
  }

  function draw(now) {
    askFor(toRequest(now));
    const view = viewOf(record, now, fetched.of(record, now.step));
    root.dataset.idle = String(!queue.busy() && !fetched.busy());
    refusal.hidden = !problem;
    refusal.textContent = problem;
    picker.draw(record, now);
    answer.draw(record);
    answer.element.classList.toggle("waiting", queue.busy());
    // On a projector a step needs all the room.
    diagram.element.hidden = (isLarge || presentation.isOn()) && now.step !== START;
    diagram.draw(record, now);
    stepper.draw(record, now);
    step.draw(view, now);
    openStep(now.step);
    openLayer(record);
    root.dataset.step = now.step;
    clearTimeout(restTimer);
    restTimer = setTimeout(rest, REST);
  }

  /** Once nothing moves: the link follows, and screen readers hear the step. */
  function rest() {
    const sentence = problem || step.text();
    if (spoken.textContent !== sentence) spoken.textContent = sentence;
    tell(toLink(state()));
  }

  /** Keys work also while nothing has the focus, except where they move something else. */
  function press(event) {
    const path = event.composedPath(), act = event.key !== "Escape" || presentation.isOn() ? keys[event.key] : null;
    if (!act || hasModifier(event) || isTaken(event, root) || path[0].matches("input")) return;
    if (!path.includes(root) && path[0] !== document.body) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  return {
    retry: queue.retry,
    close() {
      clearTimeout(restTimer);
      queue.close();
      fetched.close();
      stepper.close();
      presentation.close();
      store.close();
      document.removeEventListener("keydown", press);
    },
  };
}
