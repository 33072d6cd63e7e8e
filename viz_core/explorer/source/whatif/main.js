// The bundle: what-if as a Streamlit component.

import { mount } from "./component.js";
import { openWhatIf } from "./whatif.js";

const REMEMBERED = 8; // inputs whose changes are restored while this page is open
const sessions = new Map(); // input -> `remember()` of its last session
const reports = new WeakMap(); // parent element -> what tells the page, as of its last run
let turns = 0; // how often the browser had gone back or forward when what-if was opened last

export default function ({ data: input, parentElement, setTriggerValue }) {
  const id = JSON.stringify([input.request.body, input.original]);
  reports.set(parentElement, setTriggerValue);
  // Another class that is followed reopens what-if; the changes stay those of the input.
  return mount(parentElement, { ...input, id: JSON.stringify([id, input.tracked]) }, () => {
    if (turns !== input.turns) sessions.delete(id); // the page knows better
    turns = input.turns;
    const report = (fields) => reports.get(parentElement)("changes", fields);
    const { close, remember } = openWhatIf(parentElement.querySelector(".whatif"), input, report, sessions.get(id));
    return {
      close() {
        close();
        sessions.delete(id); // moved to the end: the oldest is dropped first
        sessions.set(id, remember());
        if (sessions.size > REMEMBERED) sessions.delete(sessions.keys().next().value);
      },
    };
  });
}
