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

/** Adds answers to those that are kept. @param {Record<string, boolean | number | string>} answers */
export function storeAnswers(answers) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...loadAnswers(), ...answers }));
  } catch {
    // In a private window, or where cookies are blocked: they last as long as the page.
  }
}
