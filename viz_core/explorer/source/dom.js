// Small elements. Text is always set as text, never as markup: tokens are what a visitor typed.

/** An element with attributes (`on…` are listeners, `class`, `aria-…`, properties) and children. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

/** Sizes a canvas in CSS pixels and returns its context, scaled so that one unit is one CSS pixel, and cleared. */
export function prepared(canvas, width, height) {
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

/** The text cut with … so that it fits into `room` px of the context's font. */
export function fitted(context, text, room) {
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

/** What a catalogue says: `say("cell", { query, key })`; a table of `one` and `other` chooses by `count`. */
export function translator(catalogue) {
  return (key, values = {}) => {
    const entry = catalogue[key];
    const template = typeof entry === "string" ? entry : entry[values.count === 1 ? "one" : "other"];
    return template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  };
}
