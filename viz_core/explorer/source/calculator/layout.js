// Which matrices stand where: sections of the calculation, in them groups whose rows are the same tokens. A product stands
// to the right of its first factor and below its second (Falk's scheme), so that each cell is where row and column meet.

// What can be left blank in an exercise, and the matrices that belong to it, by the letters of their ids.
export const STEPS = {
  projections: "qkvt", scores: "s", scaled: "z", masked: "m", exponentials: "eu", weights: "a", outputs: "oc", projected: "r" };

/** The step to which a matrix belongs; undefined for one that is given. */
export const stepOf = (block) =>
  (block.operation === "given" ? undefined : Object.keys(STEPS).find((step) => STEPS[step].includes(block.id[0])));

/** The steps that an exercise has. */
export function stepsOf({ kind, projected }) {
  return Object.keys(STEPS).filter((step) => (step !== "masked" || kind === "causal") && (step !== "projected" || projected));
}

/**
 * `[{ key, head, groups }]`: head is 0 where there is only one; a group is a row of `{ id, above }`, where above is the
 * matrix that stands over it.
 */
export function sections({ kind, heads, projected }) {
  const parts = Array.from({ length: heads }, (_, index) => index + 1).flatMap((h) => {
    const head = heads > 1 ? h : 0, of = (id, above) => ({ id: `${id}${h}`, ...(above ? { above: `${above}${h}` } : {}) });
    const [query, key, value] = ["q", "k", "v"].map((name) => of(name, `w${name}`));
    return [
      { key: "projections", head, groups: kind === "cross"
        ? [[{ id: "y" }, query], [{ id: "x" }, key, value]] : [[{ id: "x" }, query, key, value]] },
      { key: "scores", head, groups: [[of("q"), of("s", "t")], [of("z")], ...(kind === "causal" ? [[of("m")]] : [])] },
      { key: "softmax", head, groups: [[of("e"), of("u")], [of("a"), of("o", "v")]] },
    ];
  });
  const last = heads > 1 ? "c" : "o1";
  if (projected) parts.push({ key: "projected", head: 0, groups: [[{ id: last }, { id: "r", above: "wo" }]] });
  else if (heads > 1) parts.push({ key: "joined", head: 0, groups: [[{ id: last }]] });
  return parts;
}

/** Whose names the rows and columns of a matrix have: `tokens`, `targets`, or null for numbers of dimensions. */
export function axes({ kind }, id) {
  const queries = kind === "cross" ? "targets" : "tokens", letter = id[0];
  if (id === "x" || letter === "k" || letter === "v") return ["tokens", null];
  if (letter === "t") return [null, "tokens"];
  if (letter === "w") return [null, null];
  return [id === "y" ? "targets" : queries, "szmea".includes(letter) ? "tokens" : null];
}

/** The names of the tokens on an axis: those that were typed, else their positions. */
export function axisNames(exercise, axis) {
  const names = axis === "targets" ? exercise.targetNames : exercise.names;
  return names.map((name, index) => name || String(index + 1));
}

/** The symbol of a matrix, with `_` before a subscript and `^` before a superscript. */
export function symbol({ heads }, id) {
  const letter = id[0], h = id.at(-1), sup = heads > 1 && /\d/.test(h) ? `^(${h})` : "";
  if (id === "wo") return "W_o";
  if (letter === "w") return `W_${id[1]}${sup}`;
  if (letter === "t") return `K${sup}^T`;
  return { u: "Σ", z: `S${sup}÷√d` }[letter] ?? `${letter.toUpperCase()}${sup}`;
}

/** The symbol, and how the matrix comes about, as `Q = X W_q`. */
export function formula(exercise, { id, operation, of, head }) {
  const name = symbol(exercise, id), [first, second] = of.map((other) => symbol(exercise, other));
  switch (operation) {
    case "product": return `${name} = ${first} ${second}`;
    case "scale": return `${first} ÷ √${head}`;
    case "mask": return `${name} = mask(${first})`;
    case "exponential": return `${name} = e^${first[0] === "M" ? "M" : "(S÷√d)"}`;
    case "share": return `${name} = ${first} ÷ Σ`;
    case "join": return `${name} = [${of.map((other) => symbol(exercise, other)).join(" ")}]`;
    default: return name;
  }
}
