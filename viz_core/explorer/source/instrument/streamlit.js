// The entry for Streamlit.

/** @import { Instrument, TextInput } from "../shared/records.js" */

import { mount } from "../shared/mount.js";
import { unpack } from "../explorer/unpack.js";
import { openInstrument } from "./instrument.js";
import { reportTheme } from "./page_theme.js";

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const opening = /** @type {TextInput & { turns: number, instrument: Instrument }} */ (unpack(data)), { theme, language, turns, instrument } = opening;
  reportTheme(theme, parentElement, setTriggerValue);
  return mount(component, [theme, language, turns, instrument.request],
    (report, earlier) => openInstrument(parentElement, opening, report, earlier),
    (content) => !content.knows(instrument.texts),
    (content) => content.follow(opening));
}
