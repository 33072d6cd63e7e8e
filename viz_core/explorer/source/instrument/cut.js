// Texts that are longer than a box takes.

/** The first characters of a text, as Python counts them: none is half an emoji. */
export function cutText(text, most) {
  return text.length > most ? [...text].slice(0, most).join("") : text;
}
