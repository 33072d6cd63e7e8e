// The line that says what is compared with what, and how to end it; hidden without a reference.

/** @import { Input } from "../../shared/records.js" */

import { dropdown, button } from "../../shared/controls.js";
import { el } from "../../shared/dom.js";
import { headLabel } from "../../shared/names.js";
import { remember } from "../../shared/remember.js";
import { chooser } from "../panel.js";
import { CHOICES, headsOf } from "../selection.js";
import { comparisonMode, modelName, NO_REFERENCE, shortHeads } from "./reference.js";
import { cutUnlike, typedTexts } from "./texts.js";

const LONGEST = 40; // characters of a text
const SAME = "same"; // the option for the current heads

export function createBar(context) {
  const { say, store } = context;
  const chips = Object.fromEntries(["reference", "current"].map((side) => [side, createChip(say(side), side)]));
  const mode = chooser(say("comparison"),
    Object.fromEntries(CHOICES.comparison.map((name) => [name, say(`comparison_${name}`)])),
    (value) => store.set({ comparison: value }));
  const prediction = el("p", { class: "prediction" }), note = el("p", { class: "note" });
  const end = button("✕", say("comparison_end"), () => store.set(NO_REFERENCE), { class: "end" });
  const sides = el("div", { class: "chips" }, chips.reference.element,
    el("span", { class: "arrow", "aria-hidden": "true" }, "→"), chips.current.element);
  const element = el("section", { class: "comparison", "aria-label": say("comparison"), hidden: true },
    sides, prediction, mode.element, end, note);
  const spoken = el("p", { class: "spoken", role: "status" }); // announces what is compared, and that it no longer is
  const announce = remember((...news) => { spoken.textContent = announcement(...news); });
  /** @type {Input | null} the reference that is shown, or was last */
  let other = null;
  /** @type {ReturnType<typeof dropdown>} of its heads */
  let heads;

  function showReference(reference) {
    other = reference;
    const single = headsOf(null, null, reference).map(([layer, head]) => [`${layer}.${head}`, headLabel(reference, layer, head)]);
    heads = dropdown(say("reference_heads"), Object.fromEntries([[SAME, ""], ...single]), (value) => (
      store.set({ referenceHeads: value === SAME ? null : [value.split(".").map(Number)] })));
    chips.reference.show(reference, context.input, heads.element);
  }

  /** Selects the heads of the reference: those with the numbers of the current ones, or a head of its own. */
  function showHeads({ referenceHeads }, names) {
    const select = heads.element.querySelector("select"), own = referenceHeads?.length === 1 ? referenceHeads[0] : null;
    select.options[0].textContent = say("reference_heads_same", { heads: shortHeads(names, other) });
    if (referenceHeads && !own) select.options[0].textContent = shortHeads(referenceHeads, other);
    heads.show(own ? own.join(".") : SAME);
  }

  /** What screen readers hear; a reference that only follows the text is not announced again. */
  function announcement(reference, follows, refusal) {
    if (refusal) return refusal;
    if (reference && follows && other?.model === reference.model) return spoken.textContent;
    if (!reference) return other ? say("comparison_ended") : "";
    return say("comparison_pinned", { text: nameOf(reference, context.input), model: modelName(reference) });
  }

  function sentence(state, { isSame }) {
    if (state.refusal) return state.refusal;
    return say(isSame ? "comparison_same" : `comparison_note_${comparisonMode(state)}`);
  }

  return {
    elements: [element, spoken],
    draw(state, compared) {
      const { input } = context, { reference, refusal } = state;
      element.hidden = !compared && !refusal;
      element.classList.toggle("refused", !compared);
      for (const part of [sides, prediction, mode.element]) part.hidden = !compared;
      announce(reference, state.follows, refusal);
      if (!compared) {
        note.textContent = refusal;
        return;
      }
      if (other !== reference) showReference(reference);
      showHeads(state, compared.heads);
      chips.current.show(input, reference, shortHeads(state.heads, input));
      mode.show(comparisonMode(state));
      prediction.textContent = compared.isSame ? "" : predictions(reference, input, say);
      note.textContent = sentence(state, compared);
    },
  };
}

/** The prediction before and after, with the names of the classes in the present language. */
function predictions({ prediction: before }, { prediction: after }, say) {
  if (!before || !after) return "";
  const name = ({ predicted, percents }) => `${after.labels[predicted]} ${percents[predicted]}`;
  return say("comparison_prediction", { before: name(before), after: name(after) });
}

/** What one side is: its text, its model, its head. */
function createChip(name, side) {
  const text = el("q"), model = el("span"), head = el("span");
  return {
    element: el("span", { class: `side-chip ${side}` }, el("strong", {}, name), text, model, head),
    show(input, other, heads) {
      const typed = typedTexts(input).join(" / ");
      text.textContent = nameOf(input, other);
      text.title = typed;
      model.textContent = modelName(input);
      head.replaceChildren(heads);
    },
  };
}

/** The texts of a side, cut where they differ from the other's. */
function nameOf(input, other) {
  const [typed, against] = [input, other].map((side) => typedTexts(side).join(" / "));
  return cutUnlike(typed, against, LONGEST);
}
