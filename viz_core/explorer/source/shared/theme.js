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
  // The two classes of a task, or its classes from 0 if there are more.
  ["first", "last"].forEach((name, index) => root.style.setProperty(`--${name}`, theme.classes[index]));
  theme.categories.forEach((colour, index) => root.style.setProperty(`--class-${index}`, colour));
  // Differences: below and above 0, legible as thin lines.
  ["less", "more"].forEach((name, index) => root.style.setProperty(`--${name}`, theme.diverging.at([1, -2][index])));
  root.style.colorScheme = theme.mode;
}

const CATEGORIES = 10; // hues of the theme for more than two classes

/** The hue of a class of more than two, as a CSS value; from the eleventh on they repeat. */
export const hueOfClass = (index) => `var(--class-${index % CATEGORIES})`;
