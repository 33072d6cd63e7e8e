// From the last layer to the probabilities.

import { percent } from "../shared/numbers.js";
import { exponentials } from "./arithmetic.js";
import { count, number } from "./numbers.js";
import { biasOf } from "./steps_embedding.js";
import { lengths } from "./steps_layer.js";

const ACTIVATIONS = { tanh: "tanh", relu: "ReLU", gelu: "GELU" };

export const PREDICTION = {
  pooling(view, say) {
    const { record } = view, { D, Q, L } = record.sizes, mean = record.pooling === "mean";
    const first = record.sides.query.labels.at(record.pooling === "last" ? -1 : 0); // the token that is read
    const streams = record.rows("prediction.streams");
    return {
      formula: mean ? `p = \\frac{1}{T} Σ_i "norm"( x_i )` : record.norm === "pre" ? `p = "norm"( x_{${record.pooling ? `"${first}"` : "t"}} )` : `p = x_{"${first}"}`,
      shape: `${Q} × ${D} → ${D}`, values: { tokens: Q, position: (record.prediction.position ?? 0) + 1, first },
      note: `pooling_${record.pooling ?? "translation"}`, panels: mean ? lengths(view, say, [0, L]) : [],
      parts: [...(mean ? [] : [{ side: null, title: say("stream_of_classified"), axis: "D", strips: streams.map((values, layer) => ({
        label: say(layer ? "length_after" : "length_before", { layer }), values })) }]),
      { side: null, axis: "D", strips: [{ sign: "→", label: say("pooled"), values: record.array("prediction.pooled"), isResult: true }] }],
    };
  },
  classifier_hidden(view, say) {
    const { record, matrices } = view, { D } = record.sizes, name = ACTIVATIONS[record.prediction.activation];
    const [pooled, hidden, activated] = ["pooled", "hidden", "activated"].map((part) => record.array(`prediction.${part}`));
    return {
      formula: `p' = "${name}"( p W_H + b_H )`, shape: `${D} → ${D}`, values: { width: D, activation: name }, panels: [],
      parts: [
        matrices ? { side: null, title: say("pooled"), axis: "D", rowAxis: "O",
          matrix: { symbol: "W_H", values: matrices.array("w_hidden"), bias: matrices.array("b_hidden"), isBiased: true, x: pooled, xSymbol: "p",
            xLabel: say("pooled"), result: hidden, resultLabel: "h" } }
          : { side: null, axis: "D", strips: [{ label: say("pooled"), values: pooled }] },
        { side: null, axis: "O", strips: [{ label: say("classifier_sums"), values: hidden }, { sign: "→", label: name, values: activated, isResult: true }] }],
    };
  },
  logits(view, say) {
    const { record } = view, { D } = record.sizes, { labels, allClasses } = record.prediction;
    const isHidden = record.has("prediction.hidden"), ofTokens = isOfTokens(record.prediction);
    const [x, xSymbol, xLabel] = isHidden ? [record.array("prediction.activated"), "p'", say("classifier_hidden")]
      : [record.array("prediction.pooled"), "p", say("pooled")];
    return {
      formula: `l = ${xSymbol} W_C${biasOf(record, "classifier", "C")}`, shape: `${D} · (${D} × ${count(allClasses)}) → ${count(allClasses)}`, values: { classes: count(allClasses) }, panels: [],
      note: ofTokens ? "logits_of_many" : "logits",
      parts: [{ side: null, title: xLabel, axis: "D", rowAxis: ofTokens ? "V" : "C",
        matrix: { symbol: "W_C", values: record.array("prediction.w_classifier"), bias: record.array("prediction.b_classifier"), isBiased: record.biases.includes("classifier"),
          x, xSymbol, xLabel, result: record.array(record.has("prediction.uncapped") ? "prediction.uncapped" : "prediction.logits"), resultLabel: "l", names: labels } }],
    };
  },
  logit_cap(view, say) {
    const { record } = view, { cap, allClasses } = record.prediction, uncapped = record.array("prediction.uncapped");
    return {
      formula: `l' = ${cap} "tanh" ( \\frac{l}{${cap}} )`, shape: `${count(allClasses)} → ${count(allClasses)}`, values: { cap }, panels: [],
      parts: [classTable(record, [[say("logit"), uncapped, number], [say("column_capped"), record.array("prediction.logits"), number]])],
    };
  },
  temperature(view, say) {
    const { record } = view, { C } = record.sizes, { temperature } = record.prediction, logits = record.array("prediction.logits");
    return {
      formula: `\\frac{l}{T} = \\frac{l}{${temperature.toFixed(2)}}`, shape: `${C} → ${C}`, values: { temperature: temperature.toFixed(2) },
      note: temperature > 1 ? "temperature_above" : temperature < 1 ? "temperature_below" : "temperature_one", panels: [],
      parts: [classTable(record, [[say("logit"), logits, number], [say("divided"), logits.map((logit) => logit / temperature), number]])],
    };
  },
  probability(view, say) {
    const { record } = view, { labels, temperature, threshold, predicted, allClasses } = record.prediction;
    const logits = record.array("prediction.logits").map((logit) => logit / (temperature ?? 1)), power = temperature === null ? "" : " / T";
    const probabilities = record.array("prediction.probabilities"), before = record.unchanged && record.array("unchanged.probabilities");
    const { powers, isShifted } = exponentials(logits);
    return {
      formula: `p_c = \\frac{e^{l_c${power}}}{Σ_k e^{l_k${power}}}`, shape: `${count(allClasses)} → ${count(allClasses)}`,
      values: { label: labels[predicted], percent: percent(probabilities[predicted]), classes: count(allClasses), last: labels.at(-1),
        threshold: percent(threshold ?? 0) },
      note: isOfTokens(record.prediction) ? "probability_of_many" : threshold ? "probability_threshold" : "probability", panels: [],
      parts: [classTable(record, [[say(power ? "divided" : "logit"), logits, number], [say(isShifted ? "column_powers_shifted" : "column_powers"), powers, number],
        ...(before ? [[say("probability_before"), before, percent]] : []), [say("probability"), probabilities, percent]], predicted)],
    };
  },
};

/** Numbers of each class as a table; columns: `[title, values, format]`. */
const classTable = ({ prediction }, columns, predicted = null) => (
  { table: { labels: prediction.labels, columns, predicted, isOfTokens: isOfTokens(prediction) } });

/** Whether the classes are the tokens of a vocabulary, of which the likeliest are shown. */
export const isOfTokens = ({ labels, allClasses }) => allClasses > labels.length;
