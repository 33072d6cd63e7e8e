// The bundle: the inside of attention as a Streamlit component.

/** @import { InsideOpening } from "../shared/records.js" */

import { reportTheme } from "../instrument/page_theme.js";
import { mount } from "../shared/mount.js";
import { openInside } from "./inside.js";
import { readRecord } from "./record.js";

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const opening = /** @type {InsideOpening} */ (readRecord(data)), { theme, language, turns, request, refusal } = opening;
  reportTheme(theme, parentElement, setTriggerValue);
  return mount(component, { theme, language, turns, request, refusal }, (report) => openInside(
    parentElement.querySelector(".inside"), opening, (link) => report("link", link)));
}
