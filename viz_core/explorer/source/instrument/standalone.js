// The explorer in a standalone file: the page contains the packed bytes, deflated and base64-encoded.

/** @import { Explorer } from "../shared/records.js" */

import { openExplorer } from "../explorer/explorer.js";
import { unpack } from "../explorer/unpack.js";
import { applyTheme } from "../shared/theme.js";
import { translator } from "../shared/translator.js";
import { createPrediction } from "./prediction.js";

/**
 * Opens the explorer in `page`, below the prediction if there is one, with the contents of the element `data`; not if
 * that is null. If there is a theme for a dark page, the reader's browser decides, also later.
 */
export async function openStandalone(page, data) {
  if (!data) return;
  const deflated = Uint8Array.from(atob(data.textContent), (character) => character.charCodeAt(0));
  const inflated = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"));
  const input = unpack(new Uint8Array(await new Response(inflated).arrayBuffer()));
  const scheme = matchMedia("(prefers-color-scheme: dark)"), light = input.theme;
  /** @type {Explorer | null} */
  let explorer = null;
  function draw() {
    const selection = explorer?.selection() ?? {};
    explorer?.close();
    input.theme = input.dark && scheme.matches ? input.dark : light;
    if (input.prediction) showPrediction(page.querySelector(".instrument"), input);
    explorer = openExplorer(page.querySelector(".explorer"), input, selection);
  }
  draw();
  if (input.dark) scheme.addEventListener("change", draw);
}

function showPrediction(top, input) {
  const prediction = createPrediction(translator(input.catalogue));
  applyTheme(top, input.theme);
  prediction.show(input);
  top.replaceChildren(...prediction.elements);
}
