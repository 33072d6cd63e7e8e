// Numbers as text.

/** A number with three or four digits and a true minus sign, of very small and large ones a power of ten; −∞ as such. */
export function number(value) {
  if (value === -Infinity) return "−∞";
  const size = Math.abs(value);
  if (size > 0 && size < 5e-4) return power(value, 0);
  if (size >= 1e5) return power(value, 1);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  const text = size.toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** `3·10⁻⁶`, `2.7·10⁴³`. */
function power(value, digits) {
  const [digit, exponent] = Math.abs(value).toExponential(digits).split("e");
  const raised = [...exponent.replace("+", "")].map((character) => (character === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[character])).join("");
  return `${value < 0 ? "−" : ""}${digit}·10${raised}`;
}

/** The number in a sum: negative numbers in brackets. */
export const term = (value) => (value < 0 ? `(${number(value)})` : number(value));

/** `1,234`. */
export const count = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
