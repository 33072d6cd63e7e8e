// The bundle: what the browser does for a lesson. It points at a control, keeps the answers of the visitor on this computer,
// explains terms, tells when the link of the page has changed, turns cards by keys, and keeps the two windows of a
// presenter together.

import { hasModifier, isComposing, isTaken } from "../shared/keyboard.js";
import { workAnywhere } from "../shared/shortcut_scope.js";
import { loadAnswers, storeAnswers } from "./answers.js";
import { keepFocus } from "./focus.js";
import { createRing } from "./ring.js";
import { explainTerms } from "./terms.js";
import { joinWindows } from "./windows.js";

const PERIOD = 300; // ms between two looks at the page
const KEYS = { n: 1, b: -1 }, PRESENTER_KEYS = { ...KEYS, PageDown: 1, PageUp: -1 };

/** @typedef {{ card: string, point: string[][], waits: boolean, answers: Record<string, any>, presents: object | null, follows: boolean }} Data */

/** @type {ReturnType<typeof begin> | null} */
let guide = null;
let known = {}; // the answers that the page had last
let offered = ""; // what it was last told of those that it lacks: it takes none twice

export default function ({ data, parentElement, setTriggerValue }) {
  guide ??= begin();
  guide.show(data, setTriggerValue, parentElement);
  storeAnswers(data.answers, known);
  known = data.answers;
  const missing = Object.fromEntries(Object.entries(loadAnswers()).filter(([name]) => !(name in data.answers)));
  const text = JSON.stringify(missing);
  if (text !== offered && text !== "{}") setTriggerValue("stored", missing);
  offered = text;
  return () => {
    if (!guide?.isIn(parentElement)) return; // it has moved to another place of the page
    guide.end();
    guide = null;
  };
}

function begin() {
  const ring = createRing(), focus = keepFocus(), terms = explainTerms();
  let { href } = location, /** @type {Element | null} */ host = null;
  let /** @type {Data} */ data, /** @type {(event: string, value: unknown) => void} */ report = () => {};
  const windows = joinWindows((shown) => { if (data.follows) report("follow", shown); });

  function look() {
    ring.follow();
    focus.restore();
    if (!data.waits || location.href === href) return;
    ({ href } = location);
    report("moved", href);
  }

  function turn(event) {
    const step = (data.presents ? PRESENTER_KEYS : KEYS)[event.key];
    if (!step || hasModifier(event) || isComposing(event) || isTaken(event, null)) return;
    if (event.key in KEYS && !workAnywhere()) return;
    event.preventDefault();
    report("go", step);
  }

  const timer = setInterval(look, PERIOD);
  addEventListener("keydown", turn);
  return {
    /** @param {Data} its */
    show(its, itsReport, place) {
      [data, report, host] = [its, itsReport, place];
      ({ href } = location);
      ring.point(data.point, data.card);
      windows.present(data.presents);
    },
    isIn: (place) => host === place,
    end() {
      clearInterval(timer);
      removeEventListener("keydown", turn);
      windows.leave();
      focus.leave();
      terms.leave();
      ring.remove();
    },
  };
}
