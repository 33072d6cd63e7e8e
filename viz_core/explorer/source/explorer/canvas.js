// Canvases: sizing to device pixels, fitting text, saving as PNG.

import { el } from "../shared/dom.js";

/** Sizes and clears a canvas; returns its context, scaled so that a unit is a CSS pixel. */
export function prepareCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  const context = canvas.getContext("2d");
  if (canvas.width !== across || canvas.height !== down) {
    Object.assign(canvas, { width: across, height: down });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** Paints an image of one pixel per cell onto a canvas; fill(pixels): writes its 32-bit pixels. */
export function paintPixels(canvas, width, height, fill) {
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const image = new ImageData(width, height);
  fill(new Uint32Array(image.data.buffer));
  canvas.getContext("2d").putImageData(image, 0, 0);
}

/** The text, cut with … to fit into `room` px in the context's font. */
export function fitText(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  const characters = [...text];
  let low = 0, high = characters.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${characters.slice(0, middle).join("")}…`).width <= room) low = middle;
    else high = middle - 1;
  }
  return `${characters.slice(0, low).join("")}…`;
}

/** Saves a canvas as a PNG file on the page's background. */
export function saveCanvas(canvas, background, name) {
  const copy = el("canvas", { width: canvas.width, height: canvas.height });
  const context = copy.getContext("2d");
  context.fillStyle = background;
  context.fillRect(0, 0, copy.width, copy.height);
  context.drawImage(canvas, 0, 0);
  copy.toBlob((blob) => {
    const url = URL.createObjectURL(blob);
    el("a", { href: url, download: `${name}.png` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  });
}
