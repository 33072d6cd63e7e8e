// The bundle: what-if as a Streamlit component.

import { mount } from "../shared/component.js";
import { openWhatIf } from "./whatif.js";

const REMEMBERED = 8; // inputs whose changes are kept while this page is open
const left = new Map(); // input -> what was changed on it

export default function ({ data: input, parentElement }) {
  const id = JSON.stringify([input.request.body, input.original]);
  return mount(parentElement, { ...input, id }, () => {
    const { close, remember } = openWhatIf(parentElement.querySelector(".whatif"), input, left.get(id));
    return {
      close() {
        close();
        left.delete(id); // the last one left is the last to be forgotten
        left.set(id, remember());
        if (left.size > REMEMBERED) left.delete(left.keys().next().value);
      },
    };
  });
}
