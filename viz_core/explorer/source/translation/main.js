// The entry for Streamlit (components.v2): called when the component is mounted and after every run of the page.

import { reportTheme } from "../instrument/page_theme.js";
import { openTranslation } from "./translation.js";

const mounted = new WeakMap(); // parent element -> { appearance, translation, report }

export default function ({ data, parentElement, setTriggerValue }) {
  const { theme, language, translation: { request } } = data, appearance = JSON.stringify([theme, language, request]);
  const current = mounted.get(parentElement) ?? {};
  current.report = setTriggerValue;
  reportTheme(theme, parentElement, setTriggerValue);
  if (appearance !== current.appearance) {
    const earlier = current.translation?.close(), report = (link) => current.report("link", link);
    Object.assign(current, { appearance, translation: openTranslation(parentElement, data, report, earlier) });
    mounted.set(parentElement, current);
  } else current.translation.retry();
  return () => {
    current.translation.close();
    mounted.delete(parentElement);
  };
}
