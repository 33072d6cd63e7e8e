// What is drawn: attention weights, or the norms of what each key adds (measures.js).

import { dropdown } from "../shared/controls.js";
import { CHOICES } from "./selection.js";

export function createMeasurePicker(context) {
  const { say } = context, names = Object.fromEntries(CHOICES.measure.map((name) => [name, say(`measure_${name}`)]));
  const { element, show } = dropdown(say("measure"), names, context.showMeasure);
  const norms = element.querySelector("option[value=norms]");
  element.classList.add("measure");
  return {
    element,
    /** A model whose heads write into no residual stream has no norms to show, and the option says so; not in a file. */
    draw() {
      const { measure, measures, request } = context.input;
      show(measure);
      norms.disabled = !measures.includes("norms");
      element.hidden = norms.disabled && !request;
      norms.textContent = say(norms.disabled ? "measure_norms_missing" : "measure_norms");
    },
  };
}
