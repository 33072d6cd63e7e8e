// Message catalogue entries with their values filled in, and several of them in a row.

/** Returns `say(key, values)`, as in `say("cell", { query, key })`; entries with plural forms choose by `count`. */
export function translator(catalogue) {
  return (key, values = {}) => {
    const entry = catalogue[key];
    const template = typeof entry === "string" ? entry : entry[values.count === 1 ? "one" : "other"];
    return template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  };
}

/** Texts in a row, with spaces between them, save where Chinese punctuation brings its own. */
export function joinTexts(...texts) {
  return texts.join(" ").replace(/(?<=[。！？）]) | (?=（)/g, "");
}
