// All changes in one line; empty if there are none.

import { headLabel, tokenName } from "../shared/names.js";
import { stateName, TOKEN_STATES } from "./changes.js";

const NAMED = 6; // heads, tokens or rows of each kind listed by name; the rest are counted

export function summary(changes, input, say) {
  const { heads, tokens, rows } = changes;
  const head = (key) => headLabel(input, ...key.split(".").map(Number)), token = (index) => tokenName(input, Number(index));
  const kinds = [
    ...["masked", "uniform"].map((state) => [`done_${state}`, keysOf(heads, state).map(head)]),
    ...TOKEN_STATES.slice(1).map((state) => [`done_${stateName(changes, state)}`, keysOf(tokens, state).map(token)]),
    ["done_row", Object.keys(rows).map((key) => `${head(key)} ${token(key.split(".")[2])}`)],
  ];
  const parts = kinds.filter(([, names]) => names.length);
  return parts.map(([kind, names]) => say(kind, { names: first(names, say) })).join(" · ");
}

function first(names, say) {
  const more = names.length - NAMED;
  return names.slice(0, NAMED).join(say("comma")) + (more > 0 ? say("and_more", { count: more }) : "");
}

const keysOf = (states, state) => Object.keys(states).filter((key) => states[key] === state);
