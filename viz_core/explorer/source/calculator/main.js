// The bundle: the calculator as a Streamlit component, called when it is mounted and after every run of the page.

import { reportTheme } from "../instrument/page_theme.js";
import { openCalculator } from "./calculator.js";

const mounted = new WeakMap(); // parent element -> { appearance, turns, calculator, report }

export default function ({ data, parentElement, setTriggerValue }) {
  const { theme, language, turns } = data, appearance = JSON.stringify([theme, language, turns]);
  const current = mounted.get(parentElement) ?? {};
  current.report = setTriggerValue;
  reportTheme(theme, parentElement, setTriggerValue);
  if (appearance !== current.appearance) {
    const closed = current.calculator?.close(), report = (link) => current.report("link", link);
    const earlier = turns === current.turns ? closed : null; // the browser went back or forward: the page knows better
    const root = parentElement.querySelector(".calculator");
    Object.assign(current, { appearance, turns, calculator: openCalculator(root, data, report, earlier) });
    mounted.set(parentElement, current);
  }
  return () => {
    current.calculator.close();
    mounted.delete(parentElement);
  };
}
