// The first tab stop of a page of the app: past its navigation and text boxes (WCAG 2.2, 2.4.1 Bypass Blocks).

import { el } from "../shared/dom.js";
import { scrollToTop } from "../shared/scroll.js";

/** Adds the link to the page that contains the root as a component, and returns a function that removes it. */
export function addSkipLink(root, label) {
  const { host } = root.getRootNode();
  if (!host) return () => {}; // a saved page has nothing before the explorer
  host.id ||= "explorer";
  const skip = (event) => {
    event.preventDefault();
    scrollToTop(root);
    root.focus({ preventScroll: true });
  };
  const link = el("a", { class: "skip-link", href: `#${host.id}`, onclick: skip }, label);
  document.body.prepend(link);
  return () => link.remove();
}
