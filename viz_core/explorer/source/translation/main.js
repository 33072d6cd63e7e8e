// The bundle: translation as a Streamlit component.

import { reportTheme } from "../instrument/page_theme.js";
import { mount } from "../shared/mount.js";
import { openTranslation } from "./translation.js";

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const { theme, language, translation: { request, turns } } = data;
  reportTheme(theme, parentElement, setTriggerValue);
  return mount(component, { theme, language, request, turns },
    (report, earlier) => openTranslation(parentElement, data, report, earlier));
}
