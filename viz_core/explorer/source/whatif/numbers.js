// Probabilities and similarities as text.

/** A difference of probabilities in percentage points, always with its sign. */
export function points(difference, digits = 1) {
  const size = (Math.abs(difference) * 100).toFixed(digits);
  return Number(size) === 0 ? `±${size}` : `${difference < 0 ? "−" : "+"}${size}`;
}

const DECIMALS = 3;

export const decimals = (value) => value.toFixed(DECIMALS).replace("-", "−");

/** A difference, always with its sign. */
export function signedDecimals(difference, digits = DECIMALS) {
  const size = Math.abs(difference).toFixed(digits);
  return Number(size) === 0 ? `±${size}` : `${difference < 0 ? "−" : "+"}${size}`;
}

/** `−.02`, `0`. */
export function shortDecimals(difference) {
  const text = signedDecimals(difference, 2);
  return text.startsWith("±") ? "0" : text.replace("0.", ".");
}
