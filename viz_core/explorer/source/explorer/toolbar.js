// The controls of all views: which are shown, words or characters, what is left out, the colour scale.

import { button, dropdown } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { chooser } from "./panel.js";
import { CHOICES, PRESENTED, VIEW_NAMES } from "./selection.js";
import { createScopeSwitch } from "./shortcut_scope.js";
import { hasWords, sidesOf } from "./units.js";

const SHORTCUTS = [
  "present", "views", "arrows", "head", "layer", "several", "scale", "direction", "zoom", "range", "pin", "escape"];
const OF_TRANSLATIONS = ["kind"], OF_EXAMPLES = ["example"];

export function createToolbar(context) {
  const { say, store } = context, { pair, kinds, pieces } = context.input;
  const labels = (name) => Object.fromEntries(CHOICES[name].map((value) => [value, say(`${name}_${value}`)]));
  const set = (name) => (value) => store.set({ [name]: value });
  const special = pieces ? specialTokens(context.input) : say("special");
  const shared = { ...(special ? { special: dropdown(special, labels("special"), set("special")) } : {}),
    scale: dropdown(say("scale"), labels("scale"), set("scale")) };
  const token = (pair || kinds) && !pieces ? "unit_token" : "unit_piece"; // of our pairs and translations a character
  const unit = chooser(say("unit"), { ...labels("unit"), token: say(token) }, set("unit"));
  const block = dropdown(say("block"), labels("block"), set("block"));
  const controls = pair ? { unit, block, ...shared } : { unit, ...shared };
  const kind = kinds && chooser(say("kind"), Object.fromEntries(kinds.map((name) => [name, say(`kind_${name}`)])),
    context.showKind, Object.fromEntries(kinds.map((name) => [name, say(`kind_${name}_long`)])));
  const views = VIEW_NAMES.map((name, index) => el("button", {
    type: "button", title: say("toggle", { view: say(name), key: index + 1 }), onclick: () => toggleView(store, name) },
  el("kbd", { "aria-hidden": "true" }, String(index + 1)), say(name)));
  const help = el("dl", { class: "help", id: "keys" },
    ...shortcutsOf(context).flatMap((name) => [
      el("dt", {}, say(`shortcut_${name}`)), el("dd", {}, say(`shortcut_does_${name}`))]), ...createScopeSwitch(say));
  const present = button("", say("present"), () => store.set({ present: PRESENTED[0] }), { class: "present" });
  const question = button("?", say("help"), () => store.set({ help: !store.get().help }), { "aria-controls": "keys" });

  return {
    element: el("div", { class: kinds ? "toolbar with-kinds" : "toolbar" }, kind?.element,
      el("div", { class: "chooser views-shown", role: "group", "aria-label": say("views") }, ...views),
      el("div", { class: "chooser" }, present, question),
      ...Object.values(controls).map((control) => control.element), help),
    draw(state) {
      Object.entries(controls).forEach(([name, control]) => control.show(state[name]));
      kind?.show(context.input.kind);
      if (!pair || pieces) unit.element.hidden = !hasWords(context.input);
      views.forEach((toggle, index) => (
        toggle.setAttribute("aria-pressed", String(state.views.includes(VIEW_NAMES[index])))));
      help.hidden = !state.help;
      question.setAttribute("aria-expanded", String(state.help));
    },
  };
}

/** The special tokens of a model from elsewhere, as `<s>, </s>`; empty if it has none, as GPT-2. */
function specialTokens(input) {
  const names = Object.values(sidesOf(input)).flatMap(({ labels, groups }) => labels.filter((_, token) => groups[token] < 0));
  return [...new Set(names)].join(", ");
}

/** The shortcuts that there are: translations are not compared, and not every explorer has examples. */
function shortcutsOf({ input: { kinds }, visit }) {
  const common = kinds ? SHORTCUTS.filter((name) => name !== "pin") : SHORTCUTS;
  return [...(kinds ? OF_TRANSLATIONS : []), ...(visit.stepExample ? OF_EXAMPLES : []), ...common];
}

/** Shows or hides a view; the last visible view cannot be hidden. In a presentation, shows it in place of another. */
export function toggleView(store, name) {
  const { views: visible, present } = store.get();
  if (present) {
    if (PRESENTED.includes(name)) store.set({ present: name });
    return;
  }
  const views = visible.includes(name) ? visible.filter((other) => other !== name)
    : VIEW_NAMES.filter((other) => other === name || visible.includes(other));
  if (views.length) store.set({ views });
}
