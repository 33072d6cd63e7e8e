// On a phone the navigation is a drawer, which Streamlit leaves open in front of the page that was chosen in it.

const WIDEST = 768; // px, of windows in which Streamlit lays it over the page
const INSTALLED = Symbol.for("attention microscope: drawer");

export default function () {
  if (window[INSTALLED]) return;
  window[INSTALLED] = true;
  document.addEventListener("click", ({ target }) => {
    if (innerWidth > WIDEST || !target.closest('[data-testid="stSidebarNavLink"]')) return;
    document.querySelector('[data-testid="stSidebarCollapseButton"] button').click();
  });
}
