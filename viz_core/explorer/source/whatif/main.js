// The bundle: what-if as a Streamlit component.

import { mount } from "./component.js";
import { openWhatIf } from "./whatif.js";

const REMEMBERED = 8; // inputs whose changes are restored while this page is open
const sessions = new Map(); // input -> `remember()` of its last session

export default function ({ data: input, parentElement }) {
  const id = JSON.stringify([input.request.body, input.original]);
  return mount(parentElement, { ...input, id }, () => {
    const { close, remember } = openWhatIf(parentElement.querySelector(".whatif"), input, sessions.get(id));
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
