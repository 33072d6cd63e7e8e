// The bundle: what the browser does for the card of a lesson. It points at a control, keeps the answers of the visitor on
// this computer, and tells the card when the link of the page has changed.

import { createRing } from "./ring.js";
import { loadAnswers, storeAnswers } from "./answers.js";

const PERIOD = 300; // ms between two looks at the page

/** @type {{ ring: ReturnType<typeof createRing>, timer: ReturnType<typeof setInterval>, look: () => void } | null} */
let guide = null;
let hasLoaded = false; // whether the page has been told what is stored

export default function ({ data, setTriggerValue }) {
  guide ??= begin();
  const { ring } = guide;
  let { href } = location;
  ring.point(data.point, data.card);
  guide.look = () => {
    ring.follow();
    if (!data.waits || location.href === href) return;
    ({ href } = location);
    setTriggerValue("moved", href);
  };
  if (hasLoaded) storeAnswers(data.answers);
  else {
    hasLoaded = true;
    const stored = loadAnswers();
    if (Object.keys(stored).length) setTriggerValue("stored", stored);
  }
  return end;
}

function begin() {
  const timer = setInterval(() => guide?.look(), PERIOD);
  return { ring: createRing(), timer, look() {} };
}

function end() {
  if (!guide) return;
  clearInterval(guide.timer);
  guide.ring.remove();
  guide = null;
}
