// An exercise: the kind of attention, its sizes, and the numbers that are given. As text it stands in the link.

import { FINEST, LARGEST } from "./numbers.js";

// What can be selected. tokens: of the input; in cross-attention of the source, `targets` of the target. width: of the
// input vectors (D). head: width of a head (d).
export const SIZES = { tokens: [3, 4, 5, 6], targets: [3, 4, 5, 6], width: [2, 3, 4], head: [2, 3, 4], heads: [1, 2] };
export const KINDS = ["self", "causal", "cross"];
export const LONGEST_NAME = 12; // characters of the name of a token
const INITIALS = { self: "s", causal: "c", cross: "x" };
const ORDER = ["heads", "width", "head", "tokens", "targets"];

/** The matrices that are given, in order: `[id, rows, columns]`. */
export function givenMatrices({ kind, heads, width, head, tokens, targets, projected }) {
  const ofHeads = Array.from({ length: heads }, (_, index) => index + 1)
    .flatMap((h) => ["wq", "wk", "wv"].map((name) => [`${name}${h}`, width, head]));
  return [
    ["x", tokens, width],
    ...(kind === "cross" ? [["y", targets, width]] : []),
    ...ofHeads,
    ...(projected ? [["wo", heads * head, width]] : []),
  ];
}

/** The exercise with other sizes: numbers that both have stay, others are 0; new tokens have no name yet. */
export function resize(exercise, sizes) {
  const resized = { ...exercise, ...sizes };
  const number = (id, row, column) => exercise.numbers[id]?.[row]?.[column] ?? 0;
  resized.numbers = Object.fromEntries(givenMatrices(resized).map(([id, rows, columns]) =>
    [id, matrix(rows, columns, (row, column) => number(id, row, column))]));
  resized.names = fit(exercise.names, resized.tokens);
  resized.targetNames = fit(exercise.targetNames, resized.targets);
  return resized;
}

/** The exercise with another number. */
export function withNumber(exercise, id, row, column, value) {
  const changed = exercise.numbers[id].map((values) => [...values]);
  changed[row][column] = value;
  return { ...exercise, numbers: { ...exercise.numbers, [id]: changed } };
}

/**
 * Kind, sizes and numbers as text of letters, digits and `_~.-`, which need no escape in an address:
 * `s1223301~1_0_…` is the initial of the kind, heads, D, d, tokens, targets, whether there is W_o, then all numbers row by row.
 */
export function encode(exercise) {
  const sizes = ORDER.map((name) => exercise[name]).join("");
  const numbers = givenMatrices(exercise).flatMap(([id]) => exercise.numbers[id].flat());
  return `${INITIALS[exercise.kind]}${sizes}${Number(exercise.projected)}~${numbers.join("_")}`;
}

/** The exercise of a text, without names; null if it is none. */
export function decode(text) {
  const match = /^([scx])(\d)(\d)(\d)(\d)(\d)([01])~([-\d._]+)$/.exec(text);
  if (!match) return null;
  const sizes = Object.fromEntries(ORDER.map((name, index) => [name, Number(match[index + 2])]));
  if (ORDER.some((name) => !SIZES[name].includes(sizes[name]))) return null;
  const kind = KINDS.find((name) => INITIALS[name] === match[1]);
  const exercise = { kind, .../** @type {any} */ (sizes), projected: match[7] === "1", names: [], targetNames: [] };
  const values = match[8].split("_"), shapes = givenMatrices(exercise);
  if (values.length !== shapes.reduce((sum, [, rows, columns]) => sum + rows * columns, 0)) return null;
  if (!values.every(isGiven)) return null;
  let next = 0;
  const numbers = shapes.map(([id, rows, columns]) => [id, matrix(rows, columns, () => Number(values[next++]))]);
  return resize({ ...exercise, numbers: Object.fromEntries(numbers) }, {});
}

/** Names of tokens as text, `_` for none, and back. */
export const joinNames = (names) => names.map((name) => name || "_").join(" ");
export const splitNames = (text) => text.split(" ").filter(Boolean).map((name) => (name === "_" ? "" : tidyName(name)));

/** A name without spaces, at most LONGEST_NAME characters. */
export const tidyName = (name) => [...name.replace(/\s+/g, "")].slice(0, LONGEST_NAME).join("");

const isGiven = (text) => new RegExp(`^-?\\d+(\\.\\d{1,${FINEST}})?$`).test(text) && Math.abs(Number(text)) <= LARGEST;

const matrix = (rows, columns, value) =>
  Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (_, column) => value(row, column)));

const fit = (names, count) => Array.from({ length: count }, (_, index) => names[index] ?? "");
