// The entry for Streamlit: the instrument, or its preview.

import { mount } from "../shared/mount.js";
import { unpack } from "../explorer/unpack.js";
import { openInstrument } from "./instrument.js";
import { reportTheme } from "./page_theme.js";
import { openPreview } from "./preview.js";

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const opening = unpack(data), { theme, language, turns, instrument } = opening;
  reportTheme(theme, parentElement, setTriggerValue);
  const open = instrument ? openInstrument : openPreview;
  return mount(component, [theme, language, turns, instrument?.request],
    (report, earlier) => open(parentElement, opening, report, earlier),
    (content) => !content.knows(instrument?.texts));
}
