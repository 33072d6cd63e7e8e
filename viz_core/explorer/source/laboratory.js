// The laboratory as a Streamlit component (components.v2): called when it is mounted, and again whenever the page has run.

import { openBench } from "./laboratory_bench.js";

const REMEMBERED = 8; // inputs whose changes are kept while this page is open
const opened = new WeakMap(); // parent element -> the bench in it
const left = new Map(); // input -> what was changed on it

export default function ({ data: input, parentElement }) {
  const id = JSON.stringify([input.request.body, input.original]), look = JSON.stringify([input.language, input.theme]);
  const before = opened.get(parentElement);
  if (before?.id === id && before.look === look) return;
  before?.leave();
  const bench = openBench(parentElement.querySelector(".laboratory"), input, left.get(id));
  const leave = () => {
    bench.close();
    left.delete(id);
    left.set(id, bench.keep());
    if (left.size > REMEMBERED) left.delete(left.keys().next().value);
  };
  opened.set(parentElement, { id, look, leave });
  return () => {
    if (opened.get(parentElement)?.leave !== leave) return;
    leave();
    opened.delete(parentElement);
  };
}
