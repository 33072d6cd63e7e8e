// Scrolls to the evidence, if the visitor has come to it by a button above or on another page, and stays with it while
// the page grows, until the visitor does something.

const GROWS = 5000; // ms
const ENDS = ["wheel", "touchstart", "pointerdown", "keydown"];
let shown = 0; // how often the page had scrolled

export default function ({ data: openings }) {
  if (openings === shown) return;
  shown = openings;
  const [page, header] = ["stMain", "stHeader"].map((name) => document.querySelector(`[data-testid="${name}"]`));
  const show = () => { // not scrollIntoView, which also scrolls what is around the page
    const heading = document.getElementById("evidence");
    if (heading) page.scrollBy({ top: heading.getBoundingClientRect().top - header.getBoundingClientRect().bottom });
  };
  const observer = new ResizeObserver(show);
  observer.observe(document.querySelector('[data-testid="stMainBlockContainer"]'));
  const end = new AbortController();
  end.signal.addEventListener("abort", () => observer.disconnect());
  for (const event of ENDS) addEventListener(event, () => end.abort(), { signal: end.signal, capture: true });
  setTimeout(() => end.abort(), GROWS);
}
