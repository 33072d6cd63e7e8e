// What is followed while something is changed: the probability of a class, or, of a model without a classifier, the
// cosine similarity of the embedding with the unchanged one.

import { percent } from "../shared/numbers.js";
import { hueOfClass } from "../shared/theme.js";
import { decimals, points, shortDecimals, signedDecimals } from "./numbers.js";

/**
 * name: of what is followed. opposite: of what grows as it falls, empty without one. before: the value without changes.
 * hue, rest: CSS colours of it and of what is left to 1. fromRight: whether it grows from the right, as the first of two classes does. threshold: where it becomes the prediction, null without one. value(response): of a response of the server. verdict(predicted, name): a sentence for a class and its name, and whether it tells
 * of another prediction. text(value), change(difference), spread(deviation): as numbers. ends: of its axis.
 * short(difference): as it fits into the square of a head. key(name): of the sentence for this measure.
 */
export function createMeasure({ classes, original, predicted, tracked, threshold }, say) {
  const isTwo = classes.length === 2, hues = ["var(--first)", "var(--last)"];
  return classes.length ? {
    name: classes[tracked], opposite: isTwo ? classes[1 - tracked] : "", before: original[tracked],
    fromRight: isTwo && !tracked,
    hue: isTwo ? hues[tracked] : hueOfClass(tracked), rest: isTwo ? hues[1 - tracked] : "var(--surface)",
    threshold: threshold === null || tracked ? threshold : 1 - threshold, // the last class is predicted from it on
    value: ({ probabilities }) => probabilities[tracked],
    verdict: (label, name = classes[label]) => [say(label === predicted ? "stays" : "flips",
      { before: classes[predicted], prediction: name }), label !== predicted],
    text: percent, change: points, spread: (deviation) => (100 * deviation).toFixed(1), ends: ["0%", "100%"],
    short: (difference) => points(difference, 0), key: (name) => name,
  } : {
    name: say("similarity"), opposite: "", before: 1, fromRight: false,
    hue: "var(--accent)", rest: "var(--surface)", threshold: null, value: ({ similarity }) => similarity, verdict: () => [say("similarity_note"), false],
    text: decimals, change: signedDecimals, spread: decimals, ends: ["0", "1"],
    short: shortDecimals, key: (name) => `${name}_similarity`,
  };
}
