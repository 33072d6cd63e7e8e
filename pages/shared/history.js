// Back and forward. Streamlit adds an entry to the browser's history at every change of the address. Here an entry is
// what a person would go back to: another page, or another value of one of the parameters `steps`. All other changes
// replace the address of the current entry.

const REST = 500; // ms without a change after which the address is that of a new entry, or of the current one
const INSTALLED = Symbol.for("attention microscope: history");

function install() {
  const { history } = window, { pushState, replaceState } = History.prototype;
  const own = { steps: [] };
  // current: the address of the current entry, while that in the address bar may change again. acted: whether the person
  // has done anything since the last entry; what the app changes by itself, when it opens a page, is no step.
  let current = null, acted = false, timer = 0;

  function isStep(before, after) {
    const [from, to] = [before, after].map((address) => new URL(address).searchParams);
    return own.steps.some((name) => from.get(name) !== to.get(name));
  }

  function addIfStep() {
    clearTimeout(timer);
    const { href } = location;
    if (current !== null && acted && isStep(current, href)) add(history.state, href);
    current = null;
  }

  /** Adds an entry after the current one, which gets its own address back. */
  function add(state, address) {
    if (current !== null) replaceState.call(history, history.state, "", current);
    pushState.call(history, state, "", address);
    acted = false;
  }

  history.pushState = (state, _, address) => {
    const { pathname } = new URL(address ?? "", location.href);
    clearTimeout(timer);
    if (pathname !== location.pathname) {
      add(state, address); // Streamlit writes the link of the new page into the address of the last one before
      current = null;
    } else {
      current ??= location.href;
      replaceState.call(history, state, "", address);
      timer = setTimeout(addIfStep, REST);
    }
  };
  const act = () => { addIfStep(); acted = true; };
  for (const action of ["pointerdown", "click", "keydown", "input"]) window.addEventListener(action, act, true);
  window.addEventListener("popstate", () => {
    clearTimeout(timer);
    [current, acted] = [null, false];
  }, true);
  return own;
}

export default function ({ data: { steps } }) {
  window[INSTALLED] ??= install();
  window[INSTALLED].steps = steps;
}
