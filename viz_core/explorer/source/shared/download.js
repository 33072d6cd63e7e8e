// Files that are made in the browser.

import { el } from "./dom.js";

const READ = 60_000; // ms in which a browser has certainly read what it saves

/** Saves a blob as a file. */
export function download(blob, name) {
  const url = URL.createObjectURL(blob);
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), READ); // a browser may read it after the click
}
