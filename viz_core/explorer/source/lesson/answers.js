// What a visitor has answered and done in lessons, in this browser only: by card, `lesson/card`.

const KEY = "attention microscope: lessons";

/** @returns {Record<string, boolean | number | string>} empty where the browser keeps nothing. */
export function loadAnswers() {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return stored && typeof stored === "object" && !Array.isArray(stored) ? stored : {};
  } catch {
    return {};
  }
}

/**
 * Keeps what has changed since the page was told or told it last, `before`: another window may have changed the others.
 *
 * @param {Record<string, boolean | number | string>} answers
 * @param {Record<string, boolean | number | string>} before
 */
export function storeAnswers(answers, before) {
  const changed = Object.entries(answers).filter(([name, answer]) => before[name] !== answer);
  const withdrawn = Object.keys(before).filter((name) => !(name in answers));
  if (!changed.length && !withdrawn.length) return;
  const kept = { ...loadAnswers(), ...Object.fromEntries(changed) };
  for (const name of withdrawn) delete kept[name];
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // In a private window, or where cookies are blocked: they last as long as the page.
  }
}
