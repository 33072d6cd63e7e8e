// The arithmetic of one attention head, as in viz_core/analysis/inside/head_changes.py. d head width, T keys.

/** @import { HeadChanges } from "../shared/records.js" */

/** The sum of the products of two vectors; `from`: where they start in longer arrays. */
export function dot(a, b, length = a.length, aFrom = 0, bFrom = 0) {
  let sum = 0;
  for (let index = 0; index < length; index++) sum += a[aFrom + index] * b[bFrom + index];
  return sum;
}

/** The products of two vectors, dimension by dimension. */
export const products = (a, b) => Float64Array.from(a, (value, index) => value * b[index]);

/** Weights (T,) that sum to 1; −∞ gives 0, and all weights are 0 where there is nothing else. */
export function softmax(scores) {
  const largest = Math.max(...scores);
  if (largest === -Infinity) return Array.from(scores, () => 0);
  const powers = Array.from(scores, (score) => Math.exp(score - largest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/**
 * e^x of each number, as softmax has them: `powers`, their `sum`, and `isShifted`, whether they are divided by that of the
 * largest number, which leaves the shares as they are, because e^x itself would be too large or too small for a computer.
 */
export function exponentials(values) {
  const largest = Math.max(...values), isShifted = Math.abs(largest) > 300;
  const powers = Array.from(values, (value) => Math.exp(isShifted ? value - largest : value));
  return { powers, sum: powers.reduce((total, power) => total + power, 0), isShifted };
}

/** −Σ w ln w over the keys that may be attended to, divided by its largest possible value: 1 is uniform, 0 one key. */
export function entropy(weights, keys = weights.length) {
  if (keys < 2) return 0;
  return -weights.reduce((sum, weight) => sum + (weight > 0 ? weight * Math.log(weight) : 0), 0) / Math.log(keys);
}

/** A vector with mean 0 and standard deviation 1, then times gamma, plus beta (Ba et al. 2016). Others: see `moments`. */
export function layerNorm(vector, gamma, beta, epsilon, centred = true) {
  const { mean, deviation } = moments(vector, epsilon, centred);
  return Float64Array.from(vector, (value, index) => ((value - mean) / deviation) * gamma[index] + beta[index]);
}

/**
 * Mean and standard deviation of a vector. epsilon: what the model adds to the variance. centred: whether it subtracts the
 * mean; if not (RMSNorm), the deviation is the one from 0, the root mean square.
 */
export function moments(vector, epsilon, centred = true) {
  const mean = centred ? vector.reduce((sum, value) => sum + value, 0) / vector.length : 0;
  const variance = vector.reduce((sum, value) => sum + (value - mean) ** 2, 0) / vector.length;
  return { mean, deviation: Math.sqrt(variance + epsilon) };
}

/** Bounded between −c and c (Gemma 2). */
export const bounded = (x, c) => c * Math.tanh(x / c);

/**
 * What softmax reads and what it returns, of the scores (K,) of a query under changes (state.js). `divided`: by the root of
 * the divisor, mostly d; `capped`: bounded by a cap, if the model has one; `scaled`: with the bias (K,) of a model that has
 * one, and edited scores; `masked`: divided by the softmax temperature, −∞ where the query cannot attend; `weights`;
 * `visible`: whether each key can be attended to. causal: whether the attention is causal by itself. slidingWindow: how many
 * of the last keys can be attended to, null for all.
 *
 * @param {Float32Array} scores
 * @param {{ divisor: number, query: number, cap?: number | null, slidingWindow?: number | null, causal?: boolean, bias?: Float32Array | null }} head
 * @param {HeadChanges} [changes]
 */
export function weighKeys(scores, { divisor, query, cap = null, slidingWindow = null, causal = false, bias = null }, changes = {}) {
  const { unscaled, temperature = 1, masked: hidden = [], scores: edits = [] } = changes;
  const divided = Float64Array.from(scores, (score) => (unscaled ? score : score / Math.sqrt(divisor)));
  const capped = cap === null ? divided : divided.map((score) => bounded(score, cap));
  const scaled = capped.map((score, key) => score + (bias?.[key] ?? 0));
  for (const [row, key, value] of edits) if (row === query) scaled[key] = value;
  const isLater = (key) => (causal || changes.causal) && key > query, isBefore = (key) => slidingWindow !== null && key <= query - slidingWindow;
  const visible = Array.from(scaled, (_, key) => !hidden.includes(key) && !isLater(key) && !isBefore(key));
  const masked = scaled.map((score, key) => (visible[key] ? score / temperature : -Infinity));
  return { divided, capped, scaled, visible, masked, weights: softmax(masked) };
}

/** The sum of weights · values (W, d); start: the first key of the values. */
export function weighValues(weights, values, d, start = 0) {
  const context = new Float64Array(d), keys = values.length / d;
  for (let key = 0; key < keys; key++) {
    for (let index = 0; index < d; index++) context[index] += weights[start + key] * values[key * d + index];
  }
  return context;
}

const normalCurve = (x) => 0.5 * (1 + erf(x / Math.SQRT2));

/** Abramowitz and Stegun 1964, 7.1.26: wrong by 1.5 · 10⁻⁷ at most. */
function erf(x) {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const sum = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return Math.sign(x) * (1 - sum * Math.exp(-x * x));
}

/** The activations of a feed-forward, by the name in the record. */
export const ACTIVATIONS = {
  relu: (x) => Math.max(x, 0),
  gelu: (x) => x * normalCurve(x),
  gelu_tanh: (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
  silu: (x) => x / (1 + Math.exp(-x)),
};

/**
 * Dimensions i and i + r/2 of a vector (d), which a rotary position turns together (Su et al. 2021, section 3.2.2). half: r/2,
 * the number of pairs that are turned.
 *
 * @returns {[number, number]}
 */
export const pairOf = (vector, pair, half) => [vector[pair], vector[pair + half]];

/** Rows of equal length one after another. */
export function joinRows(rows) {
  const joined = new Float32Array(rows.length * rows[0].length);
  rows.forEach((row, index) => joined.set(row, index * row.length));
  return joined;
}

/** The products of a vector with each row of a matrix `(rows, vector.length)`, plus a bias. */
export function multiply(matrix, vector, bias) {
  return Float64Array.from(bias, (start, row) => start + dot(vector, matrix, vector.length, 0, row * vector.length));
}
