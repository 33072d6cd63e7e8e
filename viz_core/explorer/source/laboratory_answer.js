// The answer as it is now beside the one before, what random heads would have done, and what is changed, in words.

import { name } from "./cells.js";
import { el } from "./dom.js";
import { isChanged, TOKEN_STATES } from "./laboratory_changes.js";
import { signs } from "./laboratory_focus.js";
import { percent, points } from "./laboratory_numbers.js";
import { button } from "./panel.js";

const NAMED = 6; // heads, tokens or rows of a kind; the rest are counted

/** acts: `undo`, `redo`, `reset`, `retry`, `can()` which of them can be done. */
export function createAnswer({ input, say, acts }) {
  const { classes, threshold, original } = input, label = classes.at(-1), before = original.at(-1);
  const headline = el("p", { class: "headline" }), flip = el("p", { class: "flip" });
  const buttons = Object.fromEntries(["undo", "redo", "reset"].map((one) => (
    [one, button(say(one), say(`${one}_help`), acts[one])])));
  const retry = button(say("retry"), say("retry"), acts.retry);
  const sentence = el("span"), failure = el("p", { class: "failure", role: "alert" }, sentence, retry);
  const control = el("p", { class: "control" }), list = el("p", { class: "changed" });
  const spoken = el("p", { class: "spoken", role: "status" });
  const lanes = { before: lane("before"), now: lane("now"), random: lane("random") };
  const scale = el("div", { class: "scale", "aria-hidden": "true" },
    ...[0, 1].map((at) => el("span", { style: `left:${100 * at}%` }, `${100 * at}%`)),
    el("span", { class: "threshold", style: `left:${100 * threshold}%` },
      say("threshold", { percent: percent(threshold) })));
  const ends = el("div", { class: "ends", "aria-hidden": "true" }, el("span", {}, label), el("span", {}, classes[0]));
  const band = el("i", { class: "band" }), mean = el("i", { class: "mean" }), here = el("i", { class: "here" });
  lanes.random.track.append(band, mean, here);
  for (const one of ["before", "now"]) lanes[one].track.append(lanes[one].fill);
  const element = el("section", { class: "view answer", "aria-label": say("answer") },
    el("header", {}, headline, flip, el("div", { class: "acts" }, ...Object.values(buttons))),
    el("div", { class: "lanes" }, el("span"), ends, el("span"),
      ...Object.values(lanes).flatMap(({ title, track, number }) => [title, track, number]), el("span"), scale, el("span")),
    failure, spoken);
  const marks = signs(["here", "band", "mean"].map((mark) => [mark, say(`mark_${mark}`)]));
  const words = el("div", { class: "words" }, control, marks, list);
  fill("before", before);

  function lane(kind) {
    const line = el("i", { class: "line", style: `left:${100 * threshold}%` });
    return { title: el("span", { class: "title" }, say(`lane_${kind}`)), number: el("span", { class: "figure" }),
      track: el("div", { class: `track ${kind}`, "aria-hidden": "true" }, line), fill: el("i", { class: "fill" }) };
  }

  function fill(kind, probability) {
    lanes[kind].fill.style.width = `${100 * probability}%`;
    lanes[kind].number.textContent = percent(probability);
  }

  function showControl(state) {
    const found = state.control, known = Boolean(found?.draws);
    for (const one of [band, mean, here]) one.hidden = !known;
    marks.classList.toggle("unused", !known);
    lanes.random.number.textContent = known ? `${points(found.mean)} ± ${(100 * found.spread).toFixed(1)}` : "";
    const heads = Object.keys(state.changes.heads).length;
    if (!known) {
      control.textContent = say(!heads ? "control_heads" : state.failure !== null ? "control_failed"
        : found ? "control_none" : "control_waits");
      return;
    }
    band.style.left = `${100 * found.low}%`;
    band.style.width = `${100 * (found.high - found.low)}%`;
    mean.style.left = `${100 * (found.without + found.mean)}%`;
    here.style.left = `${100 * found.changed}%`;
    const values = { label, count: found.heads, heads: found.heads, points: points(found.changed - found.without),
      mean: points(found.mean), spread: (100 * found.spread).toFixed(1), draws: found.draws,
      low: points(found.low - found.without), high: points(found.high - found.without) };
    const others = Object.keys(state.changes.tokens).length + Object.keys(state.changes.rows).length;
    const kept = others ? ` ${say("control_kept")}` : "";
    control.textContent = `${say("control", values)} ${say(`control_${found.verdict}`)}${kept}`;
  }

  /** What is changed, in one sentence. */
  function changed({ heads, tokens, rows }) {
    const numbered = (key) => key.split(".").slice(0, 2).map((one) => Number(one) + 1).join(".");
    const token = (at) => name(input, Number(at));
    const kinds = [
      ...["masked", "uniform"].map((state) => [`done_${state}`, keysOf(heads, state).map(numbered)]),
      ...TOKEN_STATES.slice(1).map((state) => [`done_${state}`, keysOf(tokens, state).map(token)]),
      ["done_row", Object.keys(rows).map((key) => `${numbered(key)} ${token(key.split(".")[2])}`)],
    ];
    return kinds.filter(([, found]) => found.length).map(([kind, found]) => `${say(kind)} ${some(found)}`).join(" · ");
  }

  function some(found) {
    const more = found.length - NAMED;
    return found.slice(0, NAMED).join(say("comma")) + (more > 0 ? ` ${say("and_more", { count: more })}` : "");
  }

  return {
    element,
    words,
    draw(state) {
      const now = state.answer?.probabilities.at(-1) ?? before, answer = state.answer?.answer ?? input.predicted;
      fill("now", now);
      headline.replaceChildren(el("span", { class: "label" }, label), ` ${percent(before)} → `, el("b", {}, percent(now)),
        " ", el("span", { class: "delta" }, `(${say("points", { points: points(now - before) })})`));
      const flipped = answer !== input.predicted;
      flip.textContent = say(flipped ? "flips" : "stays", { before: classes[input.predicted], answer: classes[answer] });
      flip.classList.toggle("flipped", flipped);
      element.classList.toggle("stale", state.failure !== null);
      failure.hidden = state.failure === null;
      if (!failure.hidden) sentence.textContent = state.failure || say("failed");
      retry.hidden = state.failure !== "";
      showControl(state);
      list.textContent = isChanged(state.changes) ? `${say("changed")} ${changed(state.changes)}` : say("nothing_changed");
      for (const [one, can] of Object.entries(acts.can())) buttons[one].setAttribute("aria-disabled", String(!can));
    },
    /** Read aloud once all is at rest: each step of a drag would be too much talk. */
    speak() { spoken.textContent = `${headline.textContent}. ${flip.textContent} ${control.textContent}`; },
  };
}

const keysOf = (states, state) => Object.keys(states).filter((key) => states[key] === state);
