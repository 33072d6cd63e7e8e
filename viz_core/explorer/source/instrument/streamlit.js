// The entry for Streamlit (components.v2): called when the component is mounted and after every run of the page.

import { unpack } from "../explorer/unpack.js";
import { openInstrument } from "./instrument.js";
import { reportTheme } from "./page_theme.js";
import { openPreview } from "./preview.js";

const mounted = new WeakMap(); // parent element -> { appearance, instrument, report }

export default function ({ data, parentElement, setTriggerValue }) {
  const opening = unpack(data), { theme, language, turns, instrument } = opening;
  const appearance = JSON.stringify([theme, language, turns, instrument?.request]);
  const current = mounted.get(parentElement) ?? {};
  current.report = setTriggerValue;
  reportTheme(theme, parentElement, setTriggerValue);
  if (appearance !== current.appearance || !current.instrument.knows(instrument?.texts)) {
    const open = instrument ? openInstrument : openPreview;
    const report = (...event) => current.report(...event), earlier = current.instrument?.close();
    Object.assign(current, { appearance, instrument: open(parentElement, opening, report, earlier) });
    mounted.set(parentElement, current);
  } else current.instrument.retry();
  return () => {
    current.instrument.close();
    mounted.delete(parentElement);
  };
}
