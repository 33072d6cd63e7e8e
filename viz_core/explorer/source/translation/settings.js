// How the next word is selected, and whether the model generates or reads a reference.

import { dropdown } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { METHODS, VIEWS, WIDTHS } from "./state.js";

/** `{ element, exposure, draw(state) }`. exposure: the switch between generation and training. state(): the present one; set(patch): a change. */
export function createSettings(say, state, set) {
  const view = choices("view", VIEWS, (name) => set({ view: name }));
  const method = choices("method", METHODS, (name) => set({ method: name }));
  const temperature = el("input", { type: "range", min: "0.1", max: "2", step: "0.1", "aria-label": say("temperature_name"),
    oninput: () => set({ temperature: Number(temperature.value) }) });
  const shown = el("output", { class: "share" });
  const again = el("button", { type: "button", title: say("again_help") }, say("again"));
  const sampling = el("span", { class: "sampling" }, el("span", { class: "label" }, say("temperature_name")), temperature,
    shown, again);
  const width = dropdown(say("width_name"), Object.fromEntries(WIDTHS.map((count) => [count, String(count)])),
    (count) => set({ width: Number(count) }));
  const line = el("div", { class: "settings" }, method.element, sampling, width.element);
  again.addEventListener("click", () => set({ seed: state().seed + 1 }));

  function choices(name, values, onpick) {
    const buttons = values.map((value) => el("button", { type: "button", title: say(`${name}_${value}_help`),
      onclick: () => onpick(value) }, say(`${name}_${value}`)));
    return {
      element: el("div", { class: "choices", role: "group", "aria-label": say(name) }, ...buttons),
      show: (current) => buttons.forEach((button, index) => (
        button.setAttribute("aria-pressed", String(values[index] === current)))),
    };
  }

  return {
    element: line,
    exposure: view.element,
    draw(state) {
      view.show(state.view);
      method.show(state.method);
      line.hidden = state.view === "training";
      sampling.hidden = state.method !== "sample";
      width.element.hidden = state.method !== "beam";
      temperature.value = String(state.temperature);
      shown.textContent = state.temperature.toFixed(1);
      width.show(String(state.width));
    },
  };
}
