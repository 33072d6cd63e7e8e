// The explorer in a standalone file: the page contains the packed bytes, deflated and base64-encoded.

import { openExplorer } from "./explorer.js";
import { unpack } from "./unpack.js";

/** Opens the explorer in `root` with the contents of the element `data`; does nothing if that is null. */
export async function openStandalone(root, data) {
  if (!data) return;
  const deflated = Uint8Array.from(atob(data.textContent), (character) => character.charCodeAt(0));
  const inflated = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"));
  openExplorer(root, unpack(new Uint8Array(await new Response(inflated).arrayBuffer())), {});
}
