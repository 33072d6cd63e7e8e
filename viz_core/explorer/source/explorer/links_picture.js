// The visible part of the links as a picture, below the names of the heads if there are several.

import { el } from "../shared/dom.js";
import { prepareCanvas } from "./canvas.js";
import { drawScene } from "./links_drawing.js";
import { drawHues } from "./links_names.js";
import { captionOf, savePicture, SHARPNESS } from "./picture.js";

/** scene: as of drawScene; layers: the heads, `{ name, colour }`; difference: of a comparison, or null. */
export function saveLinks(context, scene, { layers, difference }) {
  const { theme, layout: { width, height } } = scene, links = el("canvas"), picture = el("canvas");
  const above = layers.length ? theme.small * 2 : 0;
  drawScene(prepareCanvas(links, width, height, SHARPNESS), scene);
  const pen = prepareCanvas(picture, width, height + above, SHARPNESS);
  drawHues(pen, theme, layers, above / 2);
  pen.drawImage(links, 0, above, width, height);
  savePicture(theme, "links", { canvas: picture, width, height: height + above }, null,
    captionOf(context, context.store.get(), { difference }));
}
