// The entry for Streamlit (components.v2): called when the component is mounted and after every run of the page.

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

const reportedBackgrounds = new WeakMap(); // parent element -> the background reported to the server

/** Streamlit does not rerun the page when the visitor switches themes, so the colours would stay the old ones. */
function reportTheme(theme, parentElement, setTriggerValue) {
  const page = getComputedStyle(parentElement.host ?? parentElement).getPropertyValue("--st-background-color").trim();
  if (!page || page === theme.background || page === reportedBackgrounds.get(parentElement)) return;
  reportedBackgrounds.set(parentElement, page);
  setTriggerValue("theme", page);
}
