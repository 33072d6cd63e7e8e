// What a visitor has set: in the link, in the requests, and on the page. Indices count from 0, in the link from 1.

/** The name of the first step: the model as a whole. */
export const START = "model";

/** The changes to a head; NONE leaves it as it is. */
export const NONE = {};
export const TEMPERATURES = { least: 0.1, most: 5 };

/** Without what equals its default, so that equal changes are equal objects. */
export function tidy(changes) {
  const { unscaled, temperature = 1, scores = [], masked = [], causal, values = 1, everywhere } = changes;
  const used = {
    ...(unscaled ? { unscaled } : {}), ...(temperature === 1 ? {} : { temperature }), ...(scores.length ? { scores } : {}),
    ...(masked.length ? { masked } : {}), ...(causal ? { causal } : {}), ...(values === 1 ? {} : { values }),
  };
  return everywhere && Object.keys(used).length ? { ...used, everywhere } : used;
}

export const isChanged = (changes) => Object.keys(changes).length > 0;

/** With the scaled score of a query and a key set; null puts the model's own back. */
export function withScore(changes, query, key, value) {
  const others = (changes.scores ?? []).filter(([row, column]) => row !== query || column !== key);
  return tidy({ ...changes, scores: value === null ? others : [...others, [query, key, value]] });
}

/** With a key masked, or attended to again. */
export function toggleKey(changes, key) {
  const masked = changes.masked ?? [];
  return tidy({ ...changes, masked: masked.includes(key) ? masked.filter((other) => other !== key) : [...masked, key] });
}

/** The state as a link. */
export const toLink = ({ step, kind, layer, head, query, key, changes }) => ({
  step: step === START ? "" : step, kind, head: `${layer + 1}.${head + 1}`, query: String(query + 1), key: String(key + 1), changes });

/** The state that a record was opened with. */
export const fromRecord = (record) => ({
  step: record.state.step || START, kind: record.kind, layer: record.layer, head: record.head, query: record.query,
  key: record.key, changes: tidy(record.state.changes) });

/** The fields of a request. */
export const toRequest = ({ kind, layer, head, query, key, changes }) => ({ kind, layer, head, query, key, changes });
