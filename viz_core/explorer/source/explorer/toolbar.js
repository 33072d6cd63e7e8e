// The controls of all views: which are shown, words or characters, what is left out, the colour scale.

import { button, dropdown } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { chooser } from "./panel.js";
import { CHOICES, VIEW_NAMES } from "./selection.js";
import { hasWords } from "./units.js";

const SHORTCUTS = [
  "views", "arrows", "head", "layer", "several", "scale", "direction", "zoom", "range", "pin", "escape"];
const OF_TRANSLATIONS = ["kind"];

export function createToolbar(context) {
  const { say, store } = context, { pair, kinds } = context.input;
  const labels = (name) => Object.fromEntries(CHOICES[name].map((value) => [value, say(`${name}_${value}`)]));
  const set = (name) => (value) => store.set({ [name]: value });
  const shared = { special: dropdown(say("special"), labels("special"), set("special")),
    scale: dropdown(say("scale"), labels("scale"), set("scale")) };
  const unit = chooser(say("unit"), labels("unit"), set("unit"));
  const block = dropdown(say("block"), labels("block"), set("block"));
  const controls = pair ? { unit, block, ...shared } : kinds ? { unit, ...shared } : shared;
  const kind = kinds && chooser(say("kind"), Object.fromEntries(kinds.map((name) => [name, say(`kind_${name}`)])),
    context.showKind);
  const views = VIEW_NAMES.map((name, index) => el("button", {
    type: "button", title: say("toggle", { view: say(name), key: index + 1 }), onclick: () => toggleView(store, name) },
  el("kbd", { "aria-hidden": "true" }, String(index + 1)), say(name)));
  const help = el("dl", { class: "help", id: "keys" },
    ...(kinds ? [...OF_TRANSLATIONS, ...SHORTCUTS.filter((name) => name !== "pin")] : SHORTCUTS).flatMap((name) => [
      el("dt", {}, say(`shortcut_${name}`)), el("dd", {}, say(`shortcut_does_${name}`))]));
  const question = button("?", say("help"), () => store.set({ help: !store.get().help }), { "aria-controls": "keys" });

  return {
    element: el("div", { class: "toolbar" }, kind?.element,
      el("div", { class: "chooser views-shown", role: "group", "aria-label": say("views") }, ...views), question,
      ...Object.values(controls).map((control) => control.element), help),
    draw(state) {
      Object.entries(controls).forEach(([name, control]) => control.show(state[name]));
      kind?.show(context.input.kind);
      if (kinds) unit.element.hidden = !hasWords(context.input);
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
