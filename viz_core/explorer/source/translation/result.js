// What is known of a translation so far: grows with every frame.

/** @import { Translation } from "../shared/records.js" */

/** @type {Translation} */
export const EMPTY = {
  source: null, notices: [], steps: [], nodes: [], leaves: [], original: null, exposure: null, complete: true, done: false,
  packed: null,
};

/**
 * The result after another frame of the server.
 *
 * @param {Translation} result
 * @param {{ json?: any, packed?: Uint8Array }} frame
 * @returns {Translation}
 */
export function grow(result, { json, packed }) {
  if (packed) return { ...result, packed };
  if (json.source) return { ...EMPTY, source: json.source, notices: json.notices };
  if (json.step) return { ...result, steps: [...result.steps, json.step] };
  if (json.nodes) return growTree({ ...result, nodes: [...result.nodes, ...json.nodes] });
  if (json.leaves) return { ...result, leaves: json.leaves };
  if (json.translation) {
    const { steps, notices, complete, text } = json.translation;
    return { ...result, steps, complete, text, notices: [...result.notices, ...notices] };
  }
  if (json.original) return { ...result, original: json.original };
  if (json.exposure) return { ...result, exposure: json.exposure };
  return json.end ? { ...result, done: true } : result;
}

/** The result as it was after `count` tokens. @param {Translation} result @param {number} count @returns {Translation} */
export function takeBack(result, count) {
  const { steps, nodes } = result;
  if (count >= Math.max(steps.length, nodes.at(-1)?.depth ?? 0)) return result;
  const earlier = { ...result, leaves: [], done: false };
  if (!nodes.length) return { ...earlier, steps: steps.slice(0, count) };
  const before = growTree({ ...earlier, nodes: nodes.filter(({ depth }) => depth <= count) });
  const same = before.steps.every(({ token }, position) => token === steps[position]?.token);
  return same ? { ...before, steps: steps.slice(0, count) } : before; // with the candidates, which are known by now
}

/** While a beam search is under way, its likeliest hypothesis so far stands for the translation. @param {Translation} result */
function growTree(result) {
  const { nodes } = result, deepest = nodes.at(-1)?.depth;
  const best = nodes.findIndex(({ depth }) => depth === deepest);
  const steps = pathTo(nodes, best).map((index) => ({ ...nodes[index], rank: null, candidates: [] }));
  return { ...result, steps };
}

/** The indices of the nodes from the root to a node. */
export function pathTo(nodes, index) {
  /** @type {number[]} */
  const path = [];
  for (let at = index; at >= 0; at = nodes[at].parent) path.unshift(at);
  return path;
}

/** The position of which the model is least sure: it is shown first. */
export function leastSure(steps) {
  return steps.reduce((least, step, index) => (step.probability < steps[least].probability ? index : least), 0);
}
