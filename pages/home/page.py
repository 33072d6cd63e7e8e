"""The first page: what the app shows, on an example to touch; the ways into it, and a tour."""

import streamlit as st

from pages.home.before_and_after import before_and_after
from pages.home.preview import preview
from pages.home.tiles import tiles
from pages.home.tour import tour
from pages.shared.visitor import translator

# The link of a tile covers it as a whole; its picture stands on the left.
_STYLE = """<style>
[data-testid="stHeading"] h1 { padding-bottom: 0.7rem; }
.st-key-tour button { min-height: 1.9rem; padding-block: 0; }
[class*="st-key-tile_"] a { padding-inline: 0; }
[class*="st-key-tile_"] { position: relative; transition: border-color 0.1s; }
[class*="st-key-tile_"] a::after { content: ""; position: absolute; inset: 0; z-index: 1; }
[class*="st-key-tile_"]:has(img) { padding-left: 6.9rem; min-height: 6.9rem; }
[class*="st-key-tile_"] .stElementContainer:has(img) { position: static; }
[class*="st-key-tile_"] img {
  position: absolute; left: 0.8rem; top: 0.8rem; width: 5.2rem; height: 5.2rem; border-radius: 4px;
}
[class*="st-key-tile_"] a :is(span, p) { white-space: normal; overflow: visible; line-height: 1.35; }
[class*="st-key-tile_"]:hover { border-color: var(--st-primary-color); }
@media (max-width: 640px) { /* where the columns stand below one another, the example comes first */
  [data-testid="stColumn"]:has(.st-key-example) { order: -1; }
}
</style>"""


def home() -> None:
    """The example beside introduction and tour, a tile per page, then a scene."""
    say = translator()
    st.html(_STYLE)
    st.title(say("pages.home_title"))
    text_column, preview_column = st.columns([2, 3], gap="large")
    with text_column:
        st.markdown(say("home.text"))
        st.markdown(f"**{say('home.tour')}**")
        with st.container(gap=None, key="tour"):
            tour()
    with preview_column, st.container(key="example"):
        preview()
    tiles()
    before_and_after()
