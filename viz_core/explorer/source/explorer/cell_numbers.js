// The numbers in the cells of a heat map: as many digits as fit, in the same form in every cell.

const ROOM = 0.25; // em between a number and the edges of its cell
const DISTINCT = 0.1; // from this largest weight on, two decimals tell the weights of a map apart

/** From this weight on (a change: in either direction) a cell has a number: many 0.00 would hide the others. */
export const leastWritten = (largest) => largest / 20;

/**
 * How weights up to `largest` are written in cells: a function from a weight to its text, in the longest form that fits,
 * 0.463, .463 or .46; null if none does. measure(text): its width in px; cell: the size of a cell, size: of the font, in
 * px.
 */
export function numberFormat(measure, cell, size, largest, isSigned) {
  const decimals = largest >= 0.5 ? 2 : largest >= 0.02 ? 3 : 4;
  const whole = String(Math.floor(largest)); // norms, unlike weights, may have several digits before the point
  const forms = largest >= 2 ? [{ decimals, zero: whole }, { decimals: 1, zero: whole }]
    : [{ decimals, zero: "0" }, { decimals, zero: "" },
      ...(decimals === 3 && largest >= DISTINCT ? [{ decimals: 2, zero: "" }] : [])];
  const form = forms.find(({ decimals, zero }) => (
    measure(`${isSigned ? "+" : ""}${zero}.${"0".repeat(decimals)}`) <= cell - 2 * ROOM * size));
  if (!form) return null;
  return (weight) => `${isSigned ? (weight < 0 ? "−" : "+") : ""}${write(Math.abs(weight), form)}`;
}

/** Without a zero before the point, 1 has a decimal less, so that all numbers are equally wide. */
function write(weight, { decimals, zero }) {
  const text = weight.toFixed(decimals);
  if (zero) return text;
  return text.startsWith("0") ? text.slice(1) : weight.toFixed(decimals - 1);
}
