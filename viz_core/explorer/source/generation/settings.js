// How the next token is picked, and which heads take no part.

import { dropdown } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { headsOf, METHODS, TOP_KS } from "./state.js";

/** `{ element, draw(state) }`. state(): the present one; set(patch): a change. */
export function createSettings(say, state, set) {
  const methods = METHODS.map((name) => el("button", { type: "button", title: say(`method_${name}_help`),
    onclick: () => set({ method: name }) }, say(`method_${name}`)));
  const temperature = slider("temperature", say("temperature"), { min: "0.1", max: "2", step: "0.1" }, 1);
  const topP = slider("topP", say("top_p_name"), { min: "0.05", max: "1", step: "0.05" }, 2);
  const topK = dropdown(say("top_k_name"), Object.fromEntries(TOP_KS.map((count) => [count, count ? String(count) : say("top_k_all")])),
    (count) => set({ topK: Number(count) }));
  const seed = el("button", { type: "button", title: say("seed_help"), onclick: () => set({ seed: state().seed + 1 }) });
  const heads = el("input", { type: "text", placeholder: "19.7", "aria-label": say("without"), title: say("without_help"),
    oninput: () => {
      const isRead = headsOf(heads.value) !== null;
      heads.setAttribute("aria-invalid", String(!isRead));
      if (isRead) set({ without: heads.value });
    } });
  const sampling = el("div", { class: "sampling" }, temperature.element, topK.element, topP.element, seed);

  function slider(name, label, range, digits) {
    const input = el("input", { type: "range", ...range, "aria-label": label, oninput: () => set({ [name]: Number(input.value) }) });
    const shown = el("output", { class: "share" });
    return {
      element: el("span", { class: "slider" }, el("span", { class: "label" }, label), input, shown),
      show(value) {
        input.value = String(value);
        shown.textContent = value.toFixed(digits);
      },
    };
  }

  return {
    element: el("div", { class: "settings" },
      el("div", { class: "choices", role: "group", "aria-label": say("method") }, ...methods), sampling,
      el("label", { class: "without" }, el("span", { class: "label" }, say("without")), heads)),
    draw(current) {
      methods.forEach((button, index) => button.setAttribute("aria-pressed", String(METHODS[index] === current.method)));
      sampling.hidden = current.method !== "sample";
      temperature.show(current.temperature);
      topP.show(current.topP);
      topK.show(String(current.topK));
      if (headsOf(heads.value) && heads.value !== current.without) heads.value = current.without;
      seed.textContent = say("seed", { seed: current.seed });
    },
  };
}
