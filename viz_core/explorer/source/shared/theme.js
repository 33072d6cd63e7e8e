// The colours, sizes and fonts that the server sends, as variables for the style sheets.

/** Sets `--ink`, `--text` and all others on the root; lists of colours by what each colour is of. */
export function applyTheme(root, theme) {
  for (const [name, value] of Object.entries(theme)) {
    if (typeof value === "string") root.style.setProperty(`--${name}`, value);
    else if (typeof value === "number") root.style.setProperty(`--${name}`, `${value}px`);
  }
  ["special", "a", "b"].forEach((name, index) => root.style.setProperty(`--${name}`, theme.groups[index]));
  ["first", "last"].forEach((name, index) => root.style.setProperty(`--${name}`, theme.classes[index])); // classes of a task
  root.style.colorScheme = theme.mode;
}
