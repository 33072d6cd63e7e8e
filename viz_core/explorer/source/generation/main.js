// The bundle: a text of a language model as a Streamlit component.

import { reportTheme } from "../instrument/page_theme.js";
import { mount } from "../shared/mount.js";
import { openGeneration } from "./generation.js";

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const { theme, language, generation: { request, turns } } = data;
  reportTheme(theme, parentElement, setTriggerValue);
  return mount(component, { theme, language, request, turns },
    (report, earlier) => openGeneration(parentElement, data, report, earlier));
}
