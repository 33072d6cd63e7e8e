// The theme of the page: Streamlit does not rerun it when the visitor switches, so that what was sent keeps its colours.

const reported = new WeakMap(); // parent element -> the background reported to the server

/** Reports the background of the page as `theme` if it is not that of the theme sent; once, as it may be the page's own. */
export function reportTheme(theme, parentElement, report) {
  const page = getComputedStyle(parentElement.host ?? parentElement).getPropertyValue("--st-background-color").trim();
  if (!page || page === theme.background || page === reported.get(parentElement)) return;
  reported.set(parentElement, page);
  report("theme", page);
}
