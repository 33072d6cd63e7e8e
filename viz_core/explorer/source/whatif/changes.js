// The changes to the model and its input, as immutable plain values, with undo and redo.

/** @import { Changes } from "../shared/records.js" */

/** deletes: whether removed tokens are deleted, so that later ones move up, rather than masked in place. @type {Changes} */
export const NOTHING = { heads: {}, tokens: {}, rows: {}, deletes: false };
export const HEAD_STATES = ["on", "masked", "uniform"];
export const TOKEN_STATES = ["present", "removed", "unknown", "blocked"];
const STEPS = 100; // that can be undone
const LEVELS = 65535; // edited weights are multiples of 1/LEVELS, two bytes in a link (whatif_link.py): it shows the same
const DIGITS = 6; // that tell these multiples apart

export const headState = (changes, layer, head) => changes.heads[`${layer}.${head}`] ?? "on";
export const tokenState = (changes, token) => changes.tokens[token] ?? "present";
export const rowKey = ({ layer, head, query }) => `${layer}.${head}.${query}`;
export const hasRemoved = (changes) => Object.values(changes.tokens).includes("removed");

/** Whether there is anything to reset, the `deletes` option included. */
export const isChanged = ({ deletes, ...parts }) => (
  deletes || Object.values(parts).some((part) => Object.keys(part).length > 0));

/** The name of a token's state: `removed` becomes `deleted` under that option. */
export const stateName = ({ deletes }, state) => (deletes && state === "removed" ? "deleted" : state);

/** The head moved to its next state: on, masked, uniform, on. */
export const cycleHead = (changes, layer, head) => ({
  ...changes,
  heads: withState(changes.heads, `${layer}.${head}`, next(HEAD_STATES, headState(changes, layer, head))) });

/** All heads of a layer masked; or on again if they all were masked. */
export function toggleLayer(changes, layer, heads) {
  const all = Array.from({ length: heads }, (_, head) => head);
  const state = all.every((head) => headState(changes, layer, head) === "masked") ? "on" : "masked";
  const states = all.reduce((heads_, head) => withState(heads_, `${layer}.${head}`, state), changes.heads);
  return { ...changes, heads: states };
}

/**
 * The states of a token: every input has [CLS] and [SEP], only what is attended to can be blocked, and not every vocabulary
 * has a token to replace others by.
 */
export const tokenStates = (special, attended, replaces = true) => TOKEN_STATES.filter((state) => (
  state === "present" || (state === "blocked" ? attended : !special && (replaces || state !== "unknown"))));

/** The token moved to its next state. */
export const cycleToken = (changes, token, states) => ({
  ...changes, tokens: withState(changes.tokens, token, next(states, tokenState(changes, token))) });

/** Switches between deleting removed tokens and masking them in place. */
export const toggleDeletion = (changes) => ({ ...changes, deletes: !changes.deletes });

/** With a query's row of attention edited, rounded to LEVELS; null restores the model's own row. */
export function withRow(changes, key, weights) {
  const { [key]: _, ...rows } = changes.rows;
  return { ...changes, rows: weights ? { ...rows, [key]: inLevels(weights).map((level) => level / LEVELS) } : rows };
}

/** The fields of a request (pages/routes/whatif.py): heads and tokens listed by what is done to them. @param {Changes} changes */
export function toRequest({ heads, tokens, rows, deletes }) {
  const headsIn = (state) => Object.keys(heads).filter((key) => heads[key] === state).map(numbers);
  const tokensIn = (state) => Object.keys(tokens).filter((key) => tokens[key] === state).map(Number);
  const removed = tokensIn("removed");
  return {
    masked: headsIn("masked"), uniform: headsIn("uniform"),
    removed: deletes ? [] : removed, deleted: deletes ? removed : [],
    unknown: tokensIn("unknown"), blocked: tokensIn("blocked"),
    rows: Object.entries(rows).map(([key, weights]) => (
      [...numbers(key), weights.map((weight) => Number(weight.toFixed(DIGITS)))])),
  };
}

/** The changes that a request asks for; what it does not name is unchanged. @returns {Changes} */
export function fromRequest({ rows = [], ...lists }) {
  const entries = (name, state = name) => (lists[name] ?? []).map((entry) => [[entry].flat().join("."), state]);
  return {
    heads: Object.fromEntries([...entries("masked"), ...entries("uniform")]),
    tokens: Object.fromEntries([...entries("removed"), ...entries("deleted", "removed"), ...entries("unknown"),
      ...entries("blocked")]),
    rows: Object.fromEntries(rows.map(([layer, head, query, weights]) => [rowKey({ layer, head, query }), weights])),
    deletes: Boolean(lists.deleted?.length),
  };
}

/** Weights as whole numbers that sum to LEVELS; the largest takes what rounding leaves. */
function inLevels(weights) {
  const levels = weights.map((weight) => Math.round(weight * LEVELS)), largest = levels.indexOf(Math.max(...levels));
  return levels.with(largest, levels[largest] + LEVELS - levels.reduce((sum, level) => sum + level, 0));
}

/**
 * Undo history: `record(changes, gesture)`, `undo()` and `redo()` return the current changes. All changes of a gesture
 * (a drag, for example) are a single step.
 */
export function createHistory(start = NOTHING) {
  let past = [], current = start, future = [], last = null;
  const step = (from, to) => {
    if (!from.length) return current;
    to.push(current);
    last = null;
    return (current = from.pop());
  };
  return {
    record(changes, gesture = null) {
      if (gesture === null || gesture !== last) past = [...past, current].slice(-STEPS);
      [current, future, last] = [changes, [], gesture];
      return current;
    },
    undo: () => step(past, future),
    redo: () => step(future, past),
    current: () => current,
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,
  };
}

const numbers = (key) => key.split(".").map(Number);
const next = (states, state) => states[(states.indexOf(state) + 1) % states.length];

/** The states with one of them set; the default state is not stored. */
function withState(states, key, state) {
  const { [key]: _, ...others } = states;
  return state === HEAD_STATES[0] || state === TOKEN_STATES[0] ? others : { ...others, [key]: state };
}
