// The texts of an input.

/** The texts of an input, as typed. */
export const typedTexts = ({ texts }) => texts.map((pieces) => pieces.map(([string]) => string).join(""));

/** A text cut to `most` characters for a name. */
export function cutText(text, most) {
  const characters = [...text.replace(/\s+/g, " ").trim()];
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : characters.join("");
}
