// The prediction, with a mark where it was before the changes.

import { el } from "../shared/dom.js";
import { percent } from "../shared/numbers.js";
import { hueOfClass } from "../shared/theme.js";

const SHOWN = 3; // classes, of more than two

/** `{ element, draw(record) }`. Hidden for a model without a classifier. */
export function createAnswer(say) {
  const element = el("section", { class: "answer", "aria-label": say("prediction") });

  function lane(label, probability, before, hue, others = "", direction = "ltr") {
    const tick = before === null ? null : el("i", { class: "tick", style: `inset-inline-start:${100 * before}%`, title: say("was", { value: percent(before) }) });
    return el("div", { class: "lane" }, el("span", { class: "name" }, label),
      el("span", { class: "track", "aria-hidden": "true", dir: direction, style: others },
        el("i", { class: "fill", style: `width:${100 * probability}%;background:${hue}` }), tick),
      el("span", { class: "figure" }, percent(probability)),
      before === null ? null : el("span", { class: "was" }, say("was", { value: percent(before) })));
  }

  return {
    element,
    draw(record) {
      element.hidden = !record.sizes.C;
      const { labels, predicted, allClasses } = record.prediction, now = record.array("prediction.probabilities");
      const before = record.unchanged ? record.array("unchanged.probabilities") : null;
      const rows = labels.length === 2 ? [predicted] : [...now.keys()].sort((a, b) => now[b] - now[a]).slice(0, SHOWN);
      const hue = (index) => (labels.length === 2 ? `var(--${index ? "last" : "first"})` : allClasses > labels.length ? "var(--accent)" : hueOfClass(index));
      const two = labels.length === 2 ? [`background:${hue(1 - predicted)}`, predicted ? "ltr" : "rtl"] : []; // the last class on the left
      element.replaceChildren(el("span", { class: "label" }, say("prediction")),
        ...rows.map((index) => lane(labels[index], now[index], before ? before[index] : null, hue(index), ...two)));
      if (before && record.unchanged.predicted !== predicted) {
        element.append(el("strong", { class: "flip" }, say("flips", { before: labels[record.unchanged.predicted], now: labels[predicted] })));
      }
    },
  };
}
