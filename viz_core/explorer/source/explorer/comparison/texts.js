// The texts of an input.

/** The texts of an input, as typed. */
export const typedTexts = ({ texts }) => texts.map((pieces) => pieces.map(([string]) => string).join(""));

/** A text cut to `most` characters for a name. */
export function cutText(text, most) {
  const characters = charactersOf(text);
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : characters.join("");
}

/** The same, cut at the start as well where the text is equal to another for so long that the names would be equal. */
export function cutUnlike(text, other, most) {
  const characters = charactersOf(text), others = charactersOf(other);
  let equal = 0;
  while (equal < characters.length && characters[equal] === others[equal]) equal++;
  const isSame = equal === characters.length && equal === others.length;
  const start = Math.min(equal - Math.floor(most / 2), characters.length - most + 1);
  return isSame || start <= 0 ? cutText(text, most) : `…${cutText(characters.slice(start).join(""), most - 1)}`;
}

const charactersOf = (text) => [...text.replace(/\s+/g, " ").trim()];
