// The bundle: the calculator as a Streamlit component.

import { reportTheme } from "../instrument/page_theme.js";
import { mount } from "../shared/mount.js";
import { openCalculator } from "./calculator.js";

export default function (component) {
  const { data, parentElement, setTriggerValue } = component, { theme, language, turns } = data;
  reportTheme(theme, parentElement, setTriggerValue);
  return mount(component, { theme, language, turns }, (report, earlier) => openCalculator(
    parentElement.querySelector(".calculator"), data, (link) => report("link", link), earlier));
}
