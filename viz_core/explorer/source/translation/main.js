// The entry for Streamlit (components.v2): called when the component is mounted and after every run of the page.

import { reportTheme } from "../instrument/page_theme.js";
import { openTranslation } from "./translation.js";

const mounted = new WeakMap(); // parent element -> { appearance, translation, report }

export default function ({ data, parentElement, setTriggerValue }) {
  const { theme, language, translation: { request, turns } } = data;
  const appearance = JSON.stringify([theme, language, request, turns]);
  const current = mounted.get(parentElement) ?? {};
  current.report = setTriggerValue;
  reportTheme(theme, parentElement, setTriggerValue);
  if (appearance !== current.appearance) {
    const closed = current.translation?.close(), report = (...event) => current.report(...event);
    const earlier = turns === current.turns ? closed : null; // the browser went back or forward: the page knows better
    Object.assign(current, { appearance, turns, translation: openTranslation(parentElement, data, report, earlier) });
    mounted.set(parentElement, current);
  } else current.translation.retry();
  return () => {
    current.translation.close();
    mounted.delete(parentElement);
  };
}
