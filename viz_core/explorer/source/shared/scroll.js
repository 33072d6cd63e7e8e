// Scrolling the page of the app.

/** The box that scrolls below Streamlit's header. */
const page = () => document.querySelector('[data-testid="stMain"]');

/**
 * Brings an element to the top of the page. `scrollIntoView` would also scroll what is around the page and hides what it
 * does not hold: the navigation would be gone.
 *
 * @param {Element} element
 */
export function scrollToTop(element) {
  const header = document.querySelector('[data-testid="stHeader"]')?.getBoundingClientRect().bottom ?? 0;
  if (page()) page()?.scrollBy({ top: element.getBoundingClientRect().top - header });
  else element.scrollIntoView(); // a saved page
}
