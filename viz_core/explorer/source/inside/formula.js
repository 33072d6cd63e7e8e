// Formulas as MathML, from a small part of TeX: letters, numbers, operators, `_`, `^`, `{…}`, \frac{…}{…}, \sqrt{…} and
// words in quotes.

const SPACE = "http://www.w3.org/1998/Math/MathML";
const PIECES = /\\[a-z]+|"[^"]*"|[A-Za-zα-ωΑ-Ω]['′]?|\d+(?:\.\d+)?|[^\s]/gu;
const COMMANDS = { "\\frac": ["mfrac", 2], "\\sqrt": ["msqrt", 1] };

/** The `<math>` element of a formula. */
export function formula(source) {
  const pieces = source.match(PIECES) ?? [];
  return math("math", ...row(pieces, undefined));
}

function math(tag, ...children) {
  const element = document.createElementNS(SPACE, tag);
  element.append(...children);
  return element;
}

/** Elements up to the piece `end`, which is taken off as well. */
function row(pieces, end) {
  const elements = [];
  while (pieces.length && pieces[0] !== end) {
    const piece = pieces[0];
    if (piece === "_" || piece === "^") {
      pieces.shift();
      elements.push(math(piece === "_" ? "msub" : "msup", elements.pop(), atom(pieces)));
    } else elements.push(atom(pieces));
  }
  pieces.shift();
  return elements;
}

function atom(pieces) {
  const piece = pieces.shift();
  if (piece === "{") return math("mrow", ...row(pieces, "}"));
  if (piece in COMMANDS) {
    const [tag, parts] = COMMANDS[piece];
    return math(tag, ...Array.from({ length: parts }, () => atom(pieces)));
  }
  if (piece.startsWith('"')) return math("mtext", piece.slice(1, -1).replaceAll(" ", "\u00a0")); // other spaces are not drawn
  if (/^\d/.test(piece)) return math("mn", piece);
  return math(/^\p{L}/u.test(piece) ? "mi" : "mo", piece);
}
