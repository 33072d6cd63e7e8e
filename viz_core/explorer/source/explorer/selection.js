// The state that the views share, and its short form in the link.

export const VIEW_NAMES = ["overview", "heatmap", "text", "links", "distribution"];
export const CHOICES = {
  unit: ["word", "token"],
  special: ["shown", "hidden", "renormalised"],
  block: ["all", "aa", "ab", "ba", "bb"],
  scale: ["sqrt", "linear", "log"],
  direction: ["from", "to"],
  order: ["place", "entropy", "distance", "cls", "sep"],
};

/**
 * heads: `[layer, head]` from 0; several mean their mean. query, key: a token, or null (all queries on average; no key).
 * range: `{ queries: [first, last], keys: [first, last] }`, tokens, both inclusive. hover: `{ query, key }`, units.
 */
export const FRESH = {
  heads: [[0, 0]], query: null, key: null, range: null, hover: null, unit: "token", special: "shown", block: "all",
  scale: "sqrt", direction: "from", order: "place", alike: true, views: VIEW_NAMES, failed: false, help: false,
};

/** What a person chose that outlives a change of the text. */
export function lasting({ heads, unit, special, block, scale, direction, order, alike, views }) {
  return { heads, unit, special, block, scale, direction, order, alike, views };
}

/** The state as the link holds it: short strings, layers and heads counted from 1, tokens by their place. */
export function toLink(state, input) {
  const { unit, special, block, scale, direction } = state;
  return {
    head: headsToLink(state.heads, input), query: state.query === null ? "all" : String(state.query + 1),
    key: state.key === null ? "" : String(state.key + 1), unit, special, block, scale, direction,
    views: VIEW_NAMES.flatMap((name, index) => (state.views.includes(name) ? [index + 1] : [])).join(""),
  };
}

/** The state that a link asks for; what the link does not say, or says of another input, is left out. */
export function fromLink(link, input) {
  const state = {};
  for (const name of ["unit", "special", "block", "scale", "direction"]) {
    if (CHOICES[name].includes(link[name])) state[name] = link[name];
  }
  const heads = headsFromLink(link.head ?? "", input);
  if (heads.length) state.heads = heads;
  if (link.query === "all") state.query = null;
  else if (isToken(link.query, input)) state.query = Number(link.query) - 1;
  if (isToken(link.key, input)) state.key = Number(link.key) - 1;
  const views = VIEW_NAMES.filter((_, index) => (link.views ?? "").includes(String(index + 1)));
  if (views.length) state.views = views;
  return state;
}

/** Every head of a layer, of a place in all layers, or of the model: what one click on a margin chooses. */
export function headsOf(layer, head, input) {
  const all = [];
  for (let l = 0; l < input.layers; l++) for (let h = 0; h < input.heads; h++) {
    if ((layer === null || l === layer) && (head === null || h === head)) all.push([l, h]);
  }
  return all;
}

/** Which set of `headsOf` these heads are, as `[layer, head]` with null for all; undefined for any other set. */
export function wholeSet(heads, input) {
  if (heads.length === 1) return heads[0];
  const [layer, head] = [0, 1].map((side) => (heads.every((one) => one[side] === heads[0][side]) ? heads[0][side] : null));
  return headsOf(layer, head, input).length === heads.length ? [layer, head] : undefined;
}

const number = (index) => (index === null ? "*" : index + 1);
const isToken = (text, input) => /^\d+$/.test(text ?? "") && Number(text) >= 1 && Number(text) <= input.tokens;

function headsToLink(heads, input) {
  const whole = wholeSet(heads, input);
  return (whole ? [whole] : heads).map(([layer, head]) => `${number(layer)}.${number(head)}`).join(" ");
}

function headsFromLink(text, input) {
  const found = text.split(" ").flatMap((part) => {
    const match = /^(\d+|\*)\.(\d+|\*)$/.exec(part);
    if (!match) return [];
    const [layer, head] = match.slice(1).map((name) => (name === "*" ? null : Number(name) - 1));
    return headsOf(layer, head, input);
  });
  return [...new Map(found.map((one) => [one.join("."), one])).values()];
}
