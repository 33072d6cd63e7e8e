// What is set in the calculator, as in the link (pages/inside/calculator.py): the example it began with, the exercise if
// its numbers are others, names of tokens if they are others, decimals, the steps whose numbers stand on the sheet and in practice, and whether that is on (`1`) or solved (`done`).

import { EXAMPLES } from "./examples.js";
import { decode, encode, joinNames, resize, splitNames } from "./exercise.js";
import { STEPS } from "./layout.js";

export const DECIMALS = [1, 2, 3, 4];
const DEFAULT = { example: "d2", decimals: 2 };

/** An example with the names of its tokens in the language of the page. */
export function exampleExercise(name, say) {
  const exercise = { ...EXAMPLES[name], names: say(`tokens_${name}`).split("/"), targetNames: [] };
  if (exercise.kind === "cross") exercise.targetNames = say(`targets_${name}`).split("/");
  return resize(exercise, {});
}

/** The state of a link; `problem` is the key of a sentence if its numbers are no exercise, then those of the example. */
export function fromLink({ example, calc, names, decimals, shown, practice }, say) {
  const name = Object.hasOwn(EXAMPLES, example) ? example : DEFAULT.example, first = exampleExercise(name, say);
  const decoded = calc ? decode(calc) : null;
  const exercise = decoded ? resize({ ...decoded, names: first.names, targetNames: first.targetNames }, {}) : first;
  return {
    example: name,
    exercise: names ? rename(exercise, splitNames(names)) : exercise,
    decimals: DECIMALS.includes(Number(decimals)) ? Number(decimals) : DEFAULT.decimals,
    blanks: Object.keys(STEPS).filter((step) => !(shown ?? "").split(" ").includes(step)),
    practice: Boolean(practice),
    answers: {},
    problem: calc && !decoded ? { key: "link_unreadable", values: {} } : null,
  };
}

/** The fields of the link; empty where they are those of the example, or the default. isSolved: whether all answers are right. */
export function toLink({ example, exercise, decimals, blanks, practice }, say, isSolved) {
  const first = exampleExercise(example, say), code = encode(exercise), names = namesOf(exercise);
  const defaultNames = namesOf(resize({ ...exercise, names: first.names, targetNames: first.targetNames }, {}));
  return {
    example,
    calc: code === encode(first) ? "" : code,
    names: names === defaultNames ? "" : names,
    decimals: String(decimals),
    shown: Object.keys(STEPS).filter((step) => !blanks.includes(step)).join(" "),
    practice: practice ? (isSolved ? "done" : "1") : "",
  };
}

const namesOf = ({ kind, names, targetNames }) => joinNames(kind === "cross" ? [...names, ...targetNames] : names);

const rename = (exercise, names) => resize({
  ...exercise, names: names.slice(0, exercise.tokens), targetNames: names.slice(exercise.tokens) }, {});
