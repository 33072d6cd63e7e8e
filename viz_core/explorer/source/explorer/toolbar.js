// The controls of all views: which are shown, which part of a pair, and behind a button words or characters, what is left
// out, the colours and the measure.

import { button, dropdown } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { createMeasurePicker } from "./measure_picker.js";
import { chooser } from "./panel.js";
import { CHOICES, DEFAULTS, PRESENTED, VIEW_NAMES } from "./selection.js";
import { createScopeSwitch } from "../shared/shortcut_scope.js";
import { hasWords, sidesOf } from "./units.js";

const SHORTCUTS = [
  "present", "views", "arrows", "head", "layer", "several", "scale", "direction", "zoom", "range", "pin", "escape"];
const MOST_NAMED = 4; // special tokens
const OF_TRANSLATIONS = ["kind"], OF_EXAMPLES = ["example"];

export function createToolbar(context) {
  const { say, store } = context, { pair, kinds, pieces } = context.input;
  const labels = (name) => Object.fromEntries(CHOICES[name].map((value) => [value, say(`${name}_${value}`)]));
  const set = (name) => (value) => store.set({ [name]: value });
  const first = context.input.kind === "causal" ? say("special_first") : "";
  const special = pieces ? specialTokens(context.input, say) || first : say("special");
  const shared = { ...(special ? { special: dropdown(special, labels("special"), set("special")) } : {}),
    scale: dropdown(say("scale"), labels("scale"), set("scale")),
    limit: dropdown(say("limit"), labels("limit"), set("limit")) };
  const token = (pair || kinds) && !pieces ? "unit_token" : "unit_piece"; // of our pairs and translations a character
  const unit = chooser(say("unit"), { ...labels("unit"), token: say(token) }, set("unit"));
  const block = dropdown(say("block"), labels("block"), set("block"));
  const controls = pair ? { unit, block, ...shared } : { unit, ...shared };
  const measure = createMeasurePicker(context);
  const question = button(say("help"), say("help"), () => store.set({ help: !store.get().help }),
    { "aria-controls": "keys", class: "keys" });
  const settings = el("div", { class: "settings", id: "settings", hidden: true },
    ...Object.values({ unit, ...shared }).map((control) => control.element), measure.element, question);
  const gear = button(say("settings"), say("settings"), () => {
    settings.hidden = !settings.hidden;
    gear.setAttribute("aria-expanded", String(!settings.hidden));
  }, { "aria-controls": "settings", "aria-expanded": "false" });
  const kind = kinds && chooser(say("kind"), Object.fromEntries(kinds.map((name) => [name, say(`kind_${name}`)])),
    context.showKind, Object.fromEntries(kinds.map((name) => [name, say(`kind_${name}_long`)])));
  const views = VIEW_NAMES.map((name, index) => el("button", {
    type: "button", title: say("toggle", { view: say(name), key: index + 1 }), onclick: () => chooseView(store, name) },
  el("kbd", { "aria-hidden": "true" }, String(index + 1)), say(name)));
  const all = button(say("views_all"), say("views_all_help"), () => (
    store.set({ views: store.get().views.length < VIEW_NAMES.length ? VIEW_NAMES : DEFAULTS.views })));
  const help = el("dl", { class: "help", id: "keys" },
    ...shortcutsOf(context).flatMap((name) => [
      el("dt", {}, say(`shortcut_${name}`)), el("dd", {}, say(`shortcut_does_${name}`))]), ...createScopeSwitch(say));

  return {
    element: el("div", { class: kinds ? "toolbar with-kinds" : "toolbar" }, kind?.element,
      el("div", { class: "chooser views-shown", role: "group", "aria-label": say("views") }, ...views, all),
      ...(pair ? [block.element] : []), gear, settings, help),
    draw(state) {
      Object.entries(controls).forEach(([name, control]) => control.show(state[name]));
      kind?.show(context.input.kind);
      measure.draw();
      if (!pair || pieces) unit.element.hidden = !hasWords(context.input);
      views.forEach((toggle, index) => (
        toggle.setAttribute("aria-pressed", String(state.views.includes(VIEW_NAMES[index])))));
      all.setAttribute("aria-pressed", String(state.views.length === VIEW_NAMES.length));
      help.hidden = !state.help;
      question.setAttribute("aria-expanded", String(state.help));
    },
  };
}

/** What of a model from elsewhere can be left out: its special tokens, as `<s>, </s>`; of a chat there are more than fit. */
function specialTokens(input, say) {
  const names = Object.values(sidesOf(input)).flatMap(({ labels, groups }) => labels.filter((_, token) => groups[token] < 0));
  const different = [...new Set(names)];
  return different.length > MOST_NAMED ? say("special_many") : different.join(", ");
}

/** The shortcuts that there are: translations are not compared, and not every explorer has examples. */
function shortcutsOf({ input: { kinds }, visit }) {
  const common = kinds ? SHORTCUTS.filter((name) => name !== "pin") : SHORTCUTS;
  return [...(kinds ? OF_TRANSLATIONS : []), ...(visit.stepExample ? OF_EXAMPLES : []), ...common];
}

/**
 * Shows a view in place of the others, beside all heads; these are shown or hidden. In a presentation, shows it in place
 * of another.
 */
export function chooseView(store, name) {
  const { views, present } = store.get(), hasHeads = views.includes("overview");
  if (present) {
    if (PRESENTED.includes(name)) store.set({ present: name });
    return;
  }
  const others = views.filter((other) => other !== "overview");
  const next = name !== "overview" ? [...(hasHeads ? ["overview"] : []), name]
    : hasHeads ? others : ["overview", ...others];
  if (next.length) store.set({ views: next });
}
