// The tokens of the text, each with its probability, and the place of the next one.

import { el } from "../shared/dom.js";
import { roveFocus } from "../shared/keyboard.js";
import { joinTexts } from "../shared/translator.js";
import { percent } from "../translation/names.js";

/**
 * `{ element, draw(result, selected, part) }`. onselect(position): a token was clicked, or null, the place after the last;
 * without it nothing can be clicked. part: of the tokens, from one to before another; `differs`, the one that is marked.
 */
export function createWords(say, onselect) {
  const element = el("div", { class: "words", role: "group", "aria-label": say("words") });
  let count = 0; // of the tokens that were drawn last
  roveFocus(element, () => [...element.querySelectorAll("button")], (key, index) => (
    { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: Infinity })[key]);

  function button(position, isSelected, name, title, probability, kind) {
    const clickable = { type: "button", "aria-pressed": String(isSelected), tabindex: "-1", onclick: () => onselect(position) };
    return el(onselect ? "button" : "span", { class: `word ${kind}`, title, ...(onselect ? clickable : {}) }, el("span", { class: "token" }, name),
    el("i", { class: "track", "aria-hidden": "true" },
      probability === null ? null : el("i", { class: "fill", style: `width:${100 * probability}%` })),
    el("span", { class: "share" }, probability === null ? "" : percent(probability)));
  }

  function describe(step, word, position, isWritten) {
    if (!step) return say("first_token", { position: position + 1, word });
    return say(isWritten ? "written_described" : "token_described", {
      position: position + 1, word, probability: percent(step.probability), rank: step.rank ?? "–" });
  }

  return {
    element,
    draw({ labels, steps, starts, markers, special, done }, selected, { from = 0, to = Infinity, differs = -1 } = {}) {
      const focus = element.contains(element.getRootNode().activeElement);
      const buttons = steps.slice(from, to).map((step, index) => {
        const position = from + index, word = labels[position], isWritten = position >= starts.length;
        const isSpecial = markers.includes(position) || special.includes(word), isOther = position === differs;
        const title = joinTexts(...[describe(step, word, position, isWritten), isSpecial && say("special_described"),
          isOther && say("differs")].filter(Boolean));
        return button(position, position === selected, word, title, step && step.probability,
          [isWritten ? "written" : "given", isSpecial && "special", isOther && "differs"].filter(Boolean).join(" "));
      });
      const isWhole = to === Infinity;
      if (done && isWhole && onselect) buttons.push(button(null, selected === null, "…", say("next_title"), null, "next"));
      element.classList.toggle("writing", !done && isWhole && Boolean(onselect));
      element.replaceChildren(...buttons);
      // What was added to a long text stays in sight.
      if (onselect && selected === null && buttons.length > count) element.scrollTop = element.scrollHeight;
      count = buttons.length;
      const shown = buttons[selected === null ? buttons.length - 1 : selected - from] ?? buttons.at(-1);
      if (onselect) shown?.setAttribute("tabindex", "0");
      if (focus) shown?.focus();
    },
  };
}
