// Canvases: sizing to device pixels, fitting text.

/** Sizes and clears a canvas; returns its context, scaled so that a unit is a CSS pixel. ratio: pixels per unit. */
export function prepareCanvas(canvas, width, height, ratio = window.devicePixelRatio || 1) {
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
