// Marks in the text: what only the current input has, what only the reference has, and what has moved since.

import { el } from "../../shared/dom.js";
import { tokenName } from "../../shared/names.js";

const KINDS = ["in", "out", "moved"];

/** `{ element, draw(spans, marks, gaps, units) }`; element: the legend of the kinds that occur. */
export function createMarks({ say }) {
  const samples = Object.fromEntries(KINDS.map((kind) => (
    [kind, el("span", { class: `mark-${kind}` }, say(`mark_${kind}`))])));
  const element = el("p", { class: "marks-in-text", hidden: true }, ...Object.values(samples));

  /** Units of the reference that stood before this one, struck through: nothing to select. */
  const strike = (units, gap) => gap.filter((unit) => units.groups[unit] >= 0).map((unit) => {
    const title = say("mark_out_help", { token: tokenName(units, unit) });
    return el("del", { class: "mark-out", title }, units.labels[unit]);
  });

  return {
    element,
    /** spans, marks: by unit; gaps: the units that only the reference has, by position, to be shown as well; units: of the reference. */
    draw(spans, marks, gaps, units) {
      const kinds = new Set(marks);
      spans.forEach((span, unit) => { if (marks?.[unit]) span.classList.add(`mark-${marks[unit]}`); });
      gaps?.forEach((gap, unit) => {
        const gone = strike(units, gap);
        if (!gone.length) return;
        kinds.add("out");
        if (spans[unit]) spans[unit].before(...gone.flatMap((word) => [word, " "]));
        else spans.at(-1).after(...gone.flatMap((word) => [" ", word]));
      });
      for (const kind of KINDS) samples[kind].hidden = !kinds.has(kind);
      element.hidden = KINDS.every((kind) => !kinds.has(kind));
    },
  };
}
