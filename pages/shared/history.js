// Back and forward. Streamlit adds an entry to the browser's history at every change of the address. Here an entry is
// what a person would go back to: another page, or another value of one of the parameters `steps`. All other changes
// replace the address of the current entry. So do changes one after another until there is a rest: they are a single
// step, unless the same parameter changes twice because a person has acted twice.

const REST = 500; // ms without a change after which the address is that of a new entry, or of the current one
const RUN = 300; // ms in which a run of the app makes all its changes
const INSTALLED = Symbol.for("attention microscope: history");

function install(steps) {
  const { history } = window, { pushState, replaceState } = History.prototype;
  // current: the address of the current entry, while that in the address bar may change again. acts: how often the person
  // has done anything since the last entry; what the app changes by itself, when it opens a page, is no step. changed:
  // when the address was changed last.
  let current = null, acts = 0, timer = 0, changed = 0;

  /** The names of the steps in which two addresses differ. */
  function differences(before, after) {
    const [from, to] = [before, after].map((address) => new URL(address).searchParams);
    return steps.filter((name) => from.get(name) !== to.get(name));
  }

  /** Whether what comes after the pending address is a second act: it changes again what has just changed. */
  function isSecond(after) {
    if (current === null || acts < 2 || performance.now() - changed < RUN) return false;
    const before = differences(current, location.href);
    return differences(location.href, after).some((name) => before.includes(name));
  }

  function addIfStep() {
    clearTimeout(timer);
    const { href } = location;
    if (current !== null && acts && differences(current, href).length) add(history.state, href);
    current = null;
  }

  /** Adds an entry after the current one, which gets its own address back. */
  function add(state, address) {
    if (current !== null) replaceState.call(history, history.state, "", current);
    pushState.call(history, state, "", address);
    acts = 0;
  }

  history.pushState = (state, _, address) => {
    const { pathname, href } = new URL(address ?? "", location.href);
    clearTimeout(timer);
    if (pathname !== location.pathname) {
      add(state, address); // Streamlit writes the link of the new page into the address of the last one before
      current = null;
    } else {
      if (isSecond(href)) {
        addIfStep();
        acts = 1;
      }
      current ??= location.href;
      replaceState.call(history, state, "", address);
      changed = performance.now();
      timer = setTimeout(addIfStep, REST);
    }
  };
  for (const action of ["pointerdown", "keydown", "click", "input"]) {
    window.addEventListener(action, () => {
      addIfStep();
      // The last two follow one of the others, but for what assistive technology does.
      if (!acts || action === "pointerdown" || action === "keydown") acts++;
    }, true);
  }
  window.addEventListener("popstate", () => {
    clearTimeout(timer);
    [current, acts] = [null, 0];
  }, true);
}

export default function ({ data: { steps } }) {
  if (!window[INSTALLED]) install(steps);
  window[INSTALLED] = true;
}
