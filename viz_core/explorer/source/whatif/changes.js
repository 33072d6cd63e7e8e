// What is changed in the model and its input, as plain values, and the way back. Every function answers with a new value.

/** deletes: whether removed tokens are deleted, so that the others move up, instead of masked in place. */
export const NOTHING = { heads: {}, tokens: {}, rows: {}, deletes: false };
export const HEAD_STATES = ["on", "masked", "uniform"];
export const TOKEN_STATES = ["present", "removed", "unknown", "blocked"];
const SPECIAL_STATES = ["present", "blocked"]; // every input has these tokens
const STEPS = 100; // that can be undone
const DIGITS = 6; // of a weight on its way to the server: the sum of 512 of them stays close enough to 1

export const headState = (changes, layer, head) => changes.heads[`${layer}.${head}`] ?? "on";
export const tokenState = (changes, token) => changes.tokens[token] ?? "present";
export const rowKey = ({ layer, head, query }) => `${layer}.${head}.${query}`;
export const hasRemoved = (changes) => Object.values(changes.tokens).includes("removed");

/** Whether anything is there to put back: the way of removing, too, while no token is removed. */
export const isChanged = ({ deletes, ...parts }) => (
  deletes || Object.values(parts).some((part) => Object.keys(part).length > 0));

/** What a state of a token is called: removed ones may be deleted. */
export const stateName = ({ deletes }, state) => (deletes && state === "removed" ? "deleted" : state);

/** The head in its next state: on, masked, uniform, on. */
export const cycleHead = (changes, layer, head) => ({
  ...changes, heads: withState(changes.heads, `${layer}.${head}`, next(HEAD_STATES, headState(changes, layer, head))) });

/** All heads of a layer masked; on again where they all were. */
export function toggleLayer(changes, layer, heads) {
  const all = Array.from({ length: heads }, (_, head) => head);
  const to = all.every((head) => headState(changes, layer, head) === "masked") ? "on" : "masked";
  return { ...changes, heads: all.reduce((states, head) => withState(states, `${layer}.${head}`, to), changes.heads) };
}

/** The token in its next state; [CLS] and [SEP] can only be blocked. */
export const cycleToken = (changes, token, special) => ({
  ...changes,
  tokens: withState(changes.tokens, token, next(special ? SPECIAL_STATES : TOKEN_STATES, tokenState(changes, token))) });

/** Removed tokens deleted from now on; masked in place again where they were deleted. */
export const toggleDeletion = (changes) => ({ ...changes, deletes: !changes.deletes });

/** With what a query looks at; null leaves that to the model again. */
export function withRow(changes, key, weights) {
  const { [key]: _, ...rows } = changes.rows;
  return { ...changes, rows: weights ? { ...rows, [key]: weights } : rows };
}

/** As the server reads it: lists of heads and tokens by what is done to them. */
export function toRequest({ heads, tokens, rows, deletes }) {
  const headsThat = (state) => Object.keys(heads).filter((key) => heads[key] === state).map(numbers);
  const tokensThat = (state) => Object.keys(tokens).filter((key) => tokens[key] === state).map(Number);
  const removed = tokensThat("removed");
  return {
    masked: headsThat("masked"), uniform: headsThat("uniform"),
    removed: deletes ? [] : removed, deleted: deletes ? removed : [],
    unknown: tokensThat("unknown"), blocked: tokensThat("blocked"),
    rows: Object.entries(rows).map(([key, weights]) => [...numbers(key), weights.map((weight) => Number(weight.toFixed(DIGITS)))]),
  };
}

/**
 * The changes and how they came about: `record(changes, gesture)`, `undo()`, `redo()` answer with the changes that now hold.
 * Changes of one gesture (a drag, say) are one step.
 */
export function createHistory(start = NOTHING) {
  let past = [], now = start, future = [], last = null;
  const step = (from, to) => {
    if (!from.length) return now;
    to.push(now);
    last = null;
    return (now = from.pop());
  };
  return {
    record(changes, gesture = null) {
      if (gesture === null || gesture !== last) past = [...past, now].slice(-STEPS);
      [now, future, last] = [changes, [], gesture];
      return now;
    },
    undo: () => step(past, future),
    redo: () => step(future, past),
    now: () => now,
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,
  };
}

const numbers = (key) => key.split(".").map(Number);
const next = (states, state) => states[(states.indexOf(state) + 1) % states.length];

/** The states with this one; without it where it is the first, which is that of a model as it is. */
function withState(states, key, state) {
  const { [key]: _, ...others } = states;
  return state === HEAD_STATES[0] || state === TOKEN_STATES[0] ? others : { ...others, [key]: state };
}
