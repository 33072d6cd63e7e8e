// The entry for Streamlit (components.v2): called when the component is mounted and after every run of the page.

import { reportTheme } from "../instrument/page_theme.js";
import { openInside } from "./inside.js";
import { readRecord } from "./record.js";

const mounted = new WeakMap(); // parent element -> { appearance, content, report }

export default function ({ data, parentElement, setTriggerValue }) {
  const opening = readRecord(data), { theme, language, turns, request, refusal } = opening;
  const appearance = JSON.stringify([theme, language, turns, request, refusal]);
  const current = mounted.get(parentElement) ?? {};
  current.report = setTriggerValue;
  reportTheme(theme, parentElement, setTriggerValue);
  if (appearance !== current.appearance) {
    current.content?.close();
    const content = openInside(parentElement.querySelector(".inside"), opening, (link) => current.report("link", link));
    Object.assign(current, { appearance, content });
    mounted.set(parentElement, current);
  } else current.content.retry();
  return () => {
    current.content.close();
    mounted.delete(parentElement);
  };
}
