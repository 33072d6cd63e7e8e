// Numbers as text.

/** `97.3%`; never rounded to 0% or 100%, as in viz_core/rendering/probabilities.py. */
export function percent(probability) {
  if (probability >= 0.9995 && probability < 1) return ">99.9%";
  if (probability > 0 && probability < 0.0005) return "<0.1%";
  return `${(probability * 100).toFixed(1)}%`;
}
