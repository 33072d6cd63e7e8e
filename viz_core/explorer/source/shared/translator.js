// Sentences of a catalogue, with their values.

/** What a catalogue says: `say("cell", { query, key })`; a table of `one` and `other` chooses by `count`. */
export function translator(catalogue) {
  return (key, values = {}) => {
    const entry = catalogue[key];
    const template = typeof entry === "string" ? entry : entry[values.count === 1 ? "one" : "other"];
    return template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  };
}
