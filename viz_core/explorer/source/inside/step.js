// A step: its title, a sentence, formula and shape, the tokens with what is computed for each, and the computation.

import { el } from "../shared/dom.js";
import { quoted } from "../shared/names.js";
import { remember } from "../shared/remember.js";
import { joinTexts } from "../shared/translator.js";
import { createDetail } from "./detail.js";
import { formula } from "./formula.js";
import { count } from "./numbers.js";
import { createRows } from "./rows.js";
import { START } from "./state.js";
import { build, titleOf, TOUCHED } from "./steps.js";
import { lengths } from "./steps_layer.js";
import { createTouch } from "./touch.js";

const COLUMNS = 12; // of lengths, for which there is room

/** `{ element, draw(view, state) }`. context: `say`, `theme`, `set(patch)`, `state()`. */
export function createStep({ say, theme, set, state }) {
  const title = el("h2"), sentence = el("p", { class: "sentence" }), shape = el("span", { class: "shape" }), math = el("span", { class: "formula" });
  const rows = createRows({ say, theme, select: set }), detail = createDetail({ say, theme });
  const touch = createTouch(say, (changes) => set({ changes }), state);
  const waiting = el("p", { class: "label", hidden: true }, say("waiting"));
  const element = el("section", { class: "step", "aria-label": say("step") }, el("header", {}, title, math, shape, waiting), sentence,
    el("div", { class: "columns" }, rows.element, touch.element), detail.element);
  const write = remember((text) => math.replaceChildren(...(text ? [formula(text)] : [])));
  const narrate = remember((text, query, key) => sentence.replaceChildren(...hued(text, { query, key })));
  const seek = remember((_step, tokens, start) => rows.show(tokens, start));

  return {
    element,
    draw(view, { step }) {
      const { record, queryName, keyName } = view;
      const values = { query: quoted(queryName), key: quoted(keyName), layer: record.layer + 1, head: record.head + 1, layers: record.sizes.L };
      const shown = step === START ? overview(view, say) : build(step, view, say);
      title.textContent = say(titleOf(step, record));
      write(shown.formula);
      shape.textContent = shown.shape ? say("shape", { shape: shown.shape }) : "";
      const said = joinTexts(say(`note_${shown.note ?? step}`, { ...values, ...shown.values }), ...(shown.more ? [shown.more] : []));
      narrate(said, values.query, values.key);
      const isComplete = view.isCurrent && record.key === state().key;
      waiting.hidden = isComplete;
      element.classList.toggle("waiting", !isComplete);
      touch.element.hidden = !TOUCHED.includes(step);
      rows.draw(view, shown.panels);
      detail.draw(shown.parts ?? [], shown.equation);
      element.classList.toggle("both", shown.panels.length > 0 && (shown.parts ?? []).length > 0);
      if (!touch.element.hidden) touch.draw(view, state());
      const shownToken = step === "query" && record.kind !== "cross" ? view.query : view.key;
      const named = [...(shown.strongest === undefined ? [] : [shown.strongest]), shownToken];
      seek(step, named, view.start);
    },
    text: () => say("announced", { title: title.textContent, text: sentence.textContent }),
  };
}

/** The text with the names of query and key in the hues that mark them below. names: by hue. */
function hued(text, names) {
  const places = Object.entries(names).filter(([, name]) => text.includes(name));
  if (!places.length) return [text];
  const [hue, name] = places.reduce((first, next) => (text.indexOf(next[1]) < text.indexOf(first[1]) ? next : first));
  const [before, after] = [text.slice(0, text.indexOf(name)), text.slice(text.indexOf(name) + name.length)];
  return [before, el("b", { class: hue }, name), ...hued(after, names)];
}

/** What is said of the model as a whole. */
const overview = (view, say) => {
  const { sizes, norm, kind, pooling } = view.record;
  const every = Math.ceil(sizes.L / COLUMNS), layers = Array.from({ length: sizes.L + 1 }, (_, layer) => layer);
  const panels = lengths(view, say, layers.filter((layer) => layer === sizes.L || layer % every === 0));
  return {
    note: kind === "self" || pooling ? `model_${norm}` : `model_${kind}`,
    panels,
    more: panels.length ? say("note_lengths") : null,
      values: { parameters: count(sizes.parameters), width: sizes.D },
  };
};
