// The presentation: the steps fill the window, in type as large as it allows.

import { button } from "../shared/controls.js";
import { createFrame, presentedTheme } from "../shared/full_window.js";
import { applyTheme } from "../shared/theme.js";

/** `{ element, toggle(), leave(), isOn(), close() }`: the button that begins and ends it. onchange(): one of both. */
export function createPresentation(root, say, theme, onchange) {
  let isOn = false;
  const element = button(say("present_label"), say("present"), () => show(!isOn), { class: "present", "aria-pressed": "false" });
  const frame = createFrame(root, () => show(false));
  const fit = () => applyTheme(root, isOn ? presentedTheme(theme, innerWidth, innerHeight) : theme);
  window.addEventListener("resize", fit);

  function show(should) {
    if (should === isOn) return;
    isOn = should;
    fit();
    element.setAttribute("aria-pressed", String(isOn));
    element.title = say(isOn ? "present_leave" : "present");
    frame.fill(isOn);
    onchange();
  }

  return {
    element,
    toggle: () => show(!isOn),
    leave: () => show(false),
    isOn: () => isOn,
    close() {
      window.removeEventListener("resize", fit);
      frame.close();
    },
  };
}
