// The explorer in a file of its own: the packed bytes stand in the page, deflated and as base64.

import { openExplorer } from "./explorer.js";
import { unpack } from "./unpack.js";

/** Opens the explorer in `root` with what the element `data` holds; does nothing where there is no such element. */
export async function openStandalone(root, data) {
  if (!data) return;
  const deflated = Uint8Array.from(atob(data.textContent), (character) => character.charCodeAt(0));
  const inflated = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"));
  openExplorer(root, unpack(new Uint8Array(await new Response(inflated).arrayBuffer())), {});
}
