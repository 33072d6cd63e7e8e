// What can be changed in a head: ÷ √d, the softmax temperature, a score, keys, a causal mask, the size of the values.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { quoted } from "../shared/names.js";
import { number } from "./numbers.js";
import { isChanged, NONE, tidy, toggleKey, withScore } from "./state.js";

/** `{ element, draw(view, state) }`. change(changes): sets them; state(): the state. */
export function createTouch(say, change, state) {
  const set = (patch) => change(tidy({ ...state().changes, ...patch }));
  const unscaled = toggle(say("touch_scaling"), (on) => set({ unscaled: !on }));
  const causal = toggle(say("touch_causal"), (on) => set({ causal: on }));
  const hide = toggle("", () => change(toggleKey(state().changes, state().key)));
  const everywhere = toggle(say("touch_everywhere"), (on) => set({ everywhere: on }));
  // Logarithmic: as far from 1 to a fifth as to five times.
  const temperature = slider(say("touch_temperature"), -1, 1, 0.05, (value) => set({ temperature: rounded(10 ** value) }));
  const values = slider(say("touch_values"), 0, 4, 0.1, (value) => set({ values: value }));
  const score = slider("", -10, 10, 0.1, (value) => change(withScore(state().changes, state().query, state().key, value)));
  const entropy = el("p", { class: "entropy", role: "status" });
  const reset = button(say("reset"), say("reset_help"), () => change(NONE));
  const element = el("section", { class: "touch", "aria-label": say("touch") },
    el("header", {}, el("h3", {}, say("touch")), reset), el("div", { class: "switches" }, unscaled.element, causal.element, hide.element, everywhere.element),
    temperature.element, score.element, values.element, entropy);

  return {
    element,
    draw(view, { changes, key }) {
      const { record, keyName } = view, isCausal = record.kind === "causal";
      unscaled.show(!changes.unscaled);
      unscaled.name(say(record.divisor === record.sizes.d ? "touch_scaling" : "touch_scaling_by", { divisor: record.divisor }));
      causal.show(isCausal || Boolean(changes.causal), isCausal || record.kind === "cross");
      hide.name(say("touch_mask", { key: quoted(keyName) }));
      hide.show((changes.masked ?? []).includes(key));
      everywhere.show(Boolean(changes.everywhere), !isChanged(changes));
      temperature.show(Math.log10(changes.temperature ?? 1), `τ = ${number(changes.temperature ?? 1)}`);
      values.show(changes.values ?? 1, `× ${number(changes.values ?? 1)}`);
      score.name(say("touch_score", { key: quoted(keyName) }));
      const largest = view.scaled.reduce((size, value) => Math.max(size, Math.ceil(Math.abs(value))), 10);
      score.limit(-largest, largest);
      score.show(view.scaled[key] ?? 0, number(view.scaled[key] ?? 0));
      reset.setAttribute("aria-disabled", String(!isChanged(changes)));
      entropy.textContent = say(isChanged(changes) ? "entropy_changed" : "entropy_now",
        { before: number(view.before.entropy), now: number(view.entropy) });
    },
  };
}

const rounded = (value) => Number(value.toPrecision(3));

function toggle(label, onchange) {
  const input = el("input", { type: "checkbox", onchange: () => onchange(input.checked) }), text = el("span", {}, label);
  return {
    element: el("label", { class: "toggle" }, input, text),
    name: (label_) => { text.textContent = label_; },
    show(on, disabled = false) {
      input.checked = on;
      input.disabled = disabled;
    },
  };
}

function slider(label, min, max, step, onchange) {
  const input = el("input", { type: "range", min, max, step, oninput: () => onchange(Number(input.value)) });
  const text = el("span", { class: "label" }, label), output = el("output");
  return {
    element: el("label", { class: "slider" }, text, input, output),
    name: (label_) => { text.textContent = label_; },
    limit: (low, high) => Object.assign(input, { min: String(low), max: String(high) }),
    show(value, shown) {
      if (Number(input.value) !== value) input.value = String(value);
      output.textContent = shown;
    },
  };
}
