// The theme sent by the server, as CSS variables.

/**
 * Sets `--ink`, `--text` and the others on the root; colours from lists get a name each, such as `--a` and `--first`.
 */
export function applyTheme(root, theme) {
  for (const [name, value] of Object.entries(theme)) {
    if (typeof value === "string") root.style.setProperty(`--${name}`, value);
    else if (typeof value === "number") root.style.setProperty(`--${name}`, `${value}px`);
  }
  ["special", "a", "b"].forEach((name, index) => root.style.setProperty(`--${name}`, theme.groups[index]));
  // The first and the last class of a task.
  ["first", "last"].forEach((name, index) => root.style.setProperty(`--${name}`, theme.classes[index]));
  // Differences: below and above 0, legible as thin lines.
  ["less", "more"].forEach((name, index) => root.style.setProperty(`--${name}`, theme.diverging.at([1, -2][index])));
  root.style.colorScheme = theme.mode;
}
