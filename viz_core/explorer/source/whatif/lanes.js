// What is followed on one axis, in three lanes: before, now, and with other heads changed instead.

import { el } from "../shared/dom.js";
import { percent } from "../shared/numbers.js";

/** `{ element, fill(kind, value), random }`; random: track and figure of the lane drawn by control.js. */
export function createLanes({ input, say, measure }) {
  const { classes } = input, { threshold } = measure;
  const lanes = { before: createLane("before"), now: createLane("now"), random: createLane("random") };
  const shown = [lanes.before, lanes.now, ...(input.layers ? [lanes.random] : [])]; // no heads: nothing to compare with
  const ends = el("div", { class: "ends", "aria-hidden": "true" },
    el("span", {}, measure.name), el("span", {}, measure.opposite));
  const scale = el("div", { class: "scale", "aria-hidden": "true" },
    ...measure.ends.map((end, at) => el("span", { style: `inset-inline-start:${100 * at}%` }, end)),
    threshold === null ? null : el("span", { class: "threshold", style: `inset-inline-start:${100 * threshold}%` },
      say("threshold", { percent: percent(threshold) })));
  const bars = { before: el("i", { class: "fill" }), now: el("i", { class: "fill" }) };
  for (const kind of ["before", "now"]) lanes[kind].track.append(bars[kind]);

  function createLane(kind) {
    const line = threshold === null ? null : el("i", { class: "line", style: `inset-inline-start:${100 * threshold}%` });
    return { title: el("span", { class: "title" }, say(`lane_${kind}`)), figure: el("span", { class: "figure" }),
      track: el("div", { class: `track ${kind}`, "aria-hidden": "true" }, line) };
  }

  return {
    element: el("div", { class: ["lanes", classes.length !== 2 && "several", measure.fromRight && "from-right"].filter(Boolean).join(" "),
      style: `--fill:${measure.hue};--rest:${measure.rest}` }, el("span"), ends,
      el("span", { class: "figure heading" }, measure.name),
      ...shown.flatMap(({ title, track, figure }) => [title, track, figure]),
      el("span"), scale, el("span")),
    fill(kind, value) {
      bars[kind].style.width = `${100 * Math.max(0, value)}%`;
      lanes[kind].figure.textContent = measure.text(value);
    },
    random: lanes.random,
  };
}
