// Scrolls to the evidence, if the visitor has come to it by a button above or on another page, and stays with it while
// the page grows, until the visitor does something.

const GROWS = 5000; // ms
const ENDS = ["wheel", "touchstart", "pointerdown", "keydown"];
let shown = 0; // how often the page had scrolled

export default function ({ data: openings }) {
  if (openings === shown) return;
  shown = openings;
  const observer = new ResizeObserver(() => document.getElementById("evidence")?.scrollIntoView());
  observer.observe(document.querySelector('[data-testid="stMainBlockContainer"]'));
  const end = new AbortController();
  end.signal.addEventListener("abort", () => observer.disconnect());
  for (const event of ENDS) addEventListener(event, () => end.abort(), { signal: end.signal, capture: true });
  setTimeout(() => end.abort(), GROWS);
}
