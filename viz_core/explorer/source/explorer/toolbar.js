// The controls of all views: which are shown, words or characters, what is left out, the colour scale.

import { button, dropdown } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { chooser } from "./panel.js";
import { CHOICES, VIEW_NAMES } from "./selection.js";

const SHORTCUTS = [
  "views", "arrows", "head", "layer", "several", "scale", "direction", "zoom", "range", "pin", "escape"];

export function createToolbar({ input, say, store }) {
  const labels = (name) => Object.fromEntries(CHOICES[name].map((value) => [value, say(`${name}_${value}`)]));
  const set = (name) => (value) => store.set({ [name]: value });
  const shared = { special: dropdown(say("special"), labels("special"), set("special")),
    scale: dropdown(say("scale"), labels("scale"), set("scale")) };
  const controls = input.pair
    ? { unit: chooser(say("unit"), labels("unit"), set("unit")),
      block: dropdown(say("block"), labels("block"), set("block")), ...shared }
    : shared;
  const views = VIEW_NAMES.map((name, index) => el("button", {
    type: "button", title: say("toggle", { view: say(name), key: index + 1 }), onclick: () => toggleView(store, name) },
  el("kbd", { "aria-hidden": "true" }, String(index + 1)), say(name)));
  const help = el("dl", { class: "help", id: "keys" },
    ...SHORTCUTS.flatMap((name) => [
      el("dt", {}, say(`shortcut_${name}`)), el("dd", {}, say(`shortcut_does_${name}`))]));
  const question = button("?", say("help"), () => store.set({ help: !store.get().help }), { "aria-controls": "keys" });

  return {
    element: el("div", { class: "toolbar" },
      el("div", { class: "chooser views-shown", role: "group", "aria-label": say("views") }, ...views), question,
      ...Object.values(controls).map((control) => control.element), help),
    draw(state) {
      Object.entries(controls).forEach(([name, control]) => control.show(state[name]));
      views.forEach((toggle, index) => (
        toggle.setAttribute("aria-pressed", String(state.views.includes(VIEW_NAMES[index])))));
      help.hidden = !state.help;
      question.setAttribute("aria-expanded", String(state.help));
    },
  };
}

/** Shows or hides a view; the last visible view cannot be hidden. */
export function toggleView(store, name) {
  const visible = store.get().views;
  const views = visible.includes(name) ? visible.filter((other) => other !== name)
    : VIEW_NAMES.filter((other) => other === name || visible.includes(other));
  if (views.length) store.set({ views });
}
