// What generation and training cost: forward passes of the decoder, and their time.

import { el } from "../shared/dom.js";
import { duration } from "./names.js";

/** `{ element, draw(result, state) }`. */
export function createExposure(say) {
  const element = el("p", { class: "exposure" });
  return {
    element,
    draw({ exposure, steps }, { view }) {
      element.hidden = !exposure;
      if (!exposure) return;
      const { passes, seconds, forced_seconds: forced } = exposure, count = steps.length;
      element.textContent = view === "training"
        ? say("exposure_training", { count, time: duration(forced) })
        : say("exposure_generation", { count: passes, time: duration(seconds), forced: duration(forced) });
    },
  };
}
