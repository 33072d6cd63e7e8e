// The prediction: the verdict, and the probabilities as one bar of two colours, or as a bar for each of more classes.

import { el } from "../shared/dom.js";
import { hueOfClass } from "../shared/theme.js";
import { joinTexts } from "../shared/translator.js";

const ONE_COLUMN = 4; // more classes are drawn in two, on a wide page three

/**
 * `{ element, elements, show(input, before), refuse(sentence), text() }`. before: the prediction of the text before.
 * elements: the prediction; what there is to say about the text or about the confidence; a caution above the heat map.
 */
export function createPrediction(say) {
  const verdict = el("p", { class: "verdict" }), odds = el("div", { class: "odds" });
  const caution = el("p", { class: "caution", hidden: true });
  const about = el("div", { class: "about" });
  const element = el("section", { class: "prediction", "aria-label": say("prediction") }, verdict, odds);

  return {
    element,
    elements: [element, about, caution],
    show({ prediction, notices: sentences }, before = null) {
      element.classList.remove("refused");
      verdict.textContent = prediction.verdict;
      const draw = prediction.threshold === null ? drawClasses : drawTwo;
      const { length } = prediction.labels;
      odds.classList.toggle("many", length > ONE_COLUMN);
      for (const columns of [2, 3]) odds.style.setProperty(`--rows-of-${columns}`, Math.ceil(length / columns));
      odds.replaceChildren(...draw(prediction, before && sameClasses(prediction, before) ? before : null, say));
      // Notices come and go while a word is half typed: they take the place of the remark, so that nothing moves.
      const notices = sentences.map((sentence) => el("p", { class: "notice" }, sentence));
      about.replaceChildren(...(notices.length ? notices : [remarkOn(prediction)]));
      caution.textContent = prediction.caution;
      caution.hidden = !prediction.caution;
    },
    /** Says why there is no prediction; the last one stays, faintly. */
    refuse(sentence) {
      element.classList.add("refused");
      verdict.textContent = sentence;
      about.replaceChildren();
    },
    /** What screen readers hear. */
    text() {
      const title = verdict.textContent, notices = [...about.querySelectorAll(".notice")].map((one) => one.textContent);
      return notices.length ? say("announced", { title, text: joinTexts(...notices) }) : title;
    },
  };
}

/** A doubt about the model is said in place of a remark on its confidence. */
const remarkOn = ({ doubt, remark }) => el("p", { class: doubt ? "remark doubt" : "remark" }, doubt || remark);
const sameClasses = (prediction, before) => prediction.labels.join() === before.labels.join();
const share = (probability) => `${100 * probability}%`;

/** The last class from the left, the first from the right, with a tick at the threshold. */
function drawTwo({ labels, probabilities, percents, predicted, threshold, mark }, before, say) {
  const name = (index, ...parts) => el("span", { class: index === predicted ? "predicted" : "" }, ...parts);
  const tick = before && el("i", { class: "before", style: `left:${share(before.probabilities[1])}`,
    title: say("before", { percent: before.percents[1] }) });
  const [order, space] = threshold > 0.5 ? ["row-reverse", 1 - threshold] : ["row", threshold];
  return [
    el("div", { class: "ends" }, name(1, `${labels[1]} ${percents[1]}`), name(0, `${percents[0]} ${labels[0]}`)),
    el("div", { class: "track", "aria-hidden": "true" },
      el("i", { class: "fill", style: `width:${share(probabilities[1])}` }), tick,
      el("i", { class: "tick", style: `left:${share(threshold)}` })),
    el("div", { class: "scale", style: `flex-direction:${order};--share:${share(space)}` }, el("i"),
      el("span", { class: "mark" }, mark)),
  ];
}

/** A bar for each class, in the hue of the class. */
function drawClasses({ labels, probabilities, percents, predicted }, before, say) {
  return labels.map((label, index) => el("div", { class: index === predicted ? "class predicted" : "class" },
    el("span", { class: "name" }, label),
    el("span", { class: "track", "aria-hidden": "true" },
      el("i", { class: "fill", style: `width:${share(probabilities[index])};background:${hueOfClass(index)}` }),
      before && el("i", { class: "before", style: `left:${share(before.probabilities[index])}`,
        title: say("before", { percent: before.percents[index] }) })),
    el("span", { class: "percent" }, percents[index])));
}
