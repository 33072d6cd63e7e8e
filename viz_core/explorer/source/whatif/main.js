// The bundle: what-if as a Streamlit component.

import { mount } from "../shared/mount.js";
import { openWhatIf } from "./whatif.js";

const REMEMBERED = 8; // inputs whose changes are restored while this page is open
const sessions = new Map(); // input -> `remember()` of its last session
let turns = 0; // how often the browser had gone back or forward when what-if was opened last

export default function (component) {
  const { data: input, parentElement } = component, { theme, language, tracked } = input;
  const id = JSON.stringify([input.request.body, input.original]);
  // Another class that is followed reopens what-if; the changes stay those of the input.
  return mount(component, { id, tracked, theme, language, turns: input.turns }, (report) => {
    if (turns !== input.turns) sessions.delete(id); // the page knows better
    turns = input.turns;
    const root = parentElement.querySelector(".whatif");
    const { close, remember } = openWhatIf(root, input, (fields) => report("changes", fields), sessions.get(id));
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
