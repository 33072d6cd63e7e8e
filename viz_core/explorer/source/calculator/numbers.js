// Numbers as they are typed and shown: few decimals, so that everything can be computed by hand.

export const LARGEST = 100, FINEST = 3; // of a typed number: its absolute value, its decimals
const WIDE = 1e5; // from here on numbers are shown as 1.2e5, which fits into a cell

/** `{ value }` of what was typed, or `{ problem }`, the key of the sentence that says what is wrong. */
export function parseNumber(text) {
  const typed = text.normalize("NFKC").replaceAll("−", "-").trim();
  if (!typed) return { problem: "empty" };
  if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(typed)) return { problem: "not_a_number" };
  const value = Number(typed) || 0; // no -0
  if (Math.abs(value) > LARGEST) return { problem: "too_large" };
  if ((typed.split(".")[1] ?? "").length > FINEST) return { problem: "too_fine" };
  return { value };
}

/** Whether a number is shown as it is with this many decimals. */
export function isExact(value, decimals) {
  if (!Number.isFinite(value)) return true;
  return Math.abs(value) < WIDE && Math.abs(value - Number(value.toFixed(decimals))) < 1e-10;
}

/** A number with at most this many decimals: 0.5 where that is exact, 0.50 where it is rounded. */
export function format(value, decimals) {
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  if (Math.abs(value) >= WIDE) return value.toExponential(1).replace("e+", "e").replace("-", "−");
  const rounded = value.toFixed(decimals);
  const text = isExact(value, decimals) ? String(Number(rounded)) : rounded;
  return Number(rounded) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** A number as it is typed into a cell. */
export const typedText = (value) => String(value).replace("-", "−");

/** Rows of numbers from pasted text: rows end at line ends or semicolons, numbers at spaces or commas. */
export function splitPasted(text) {
  const rows = text.normalize("NFKC").replace(/[[\](){}]/g, " ").split(/[\n;]/);
  return rows.map((row) => row.split(/[\s,]+/).filter(Boolean)).filter((row) => row.length);
}
