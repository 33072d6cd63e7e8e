"""The first page: what the app shows, on an example to touch; the ways into it, and a tour."""

from __future__ import annotations

import streamlit as st

from pages.home.preview import preview
from pages.home.tour import tour
from pages.shared import navigation
from pages.shared.tasks import PAGES, TRANSLATION_URL
from pages.shared.visitor import translator

# The link of a tile covers it as a whole.
_STYLE = """<style>
.st-key-tour button { min-height: 1.9rem; padding-block: 0; }
[class*="st-key-tile_"] a { padding-inline: 0; }
[class*="st-key-tile_"] { position: relative; transition: border-color 0.1s; }
[class*="st-key-tile_"] a::after { content: ""; position: absolute; inset: 0; z-index: 1; }
[class*="st-key-tile_"]:hover { border-color: var(--st-primary-color); }
</style>"""


def home() -> None:
    """The example beside introduction and tour, then a tile per page."""
    say = translator()
    st.html(_STYLE)
    st.title(say("pages.home_title"))
    text_column, preview_column = st.columns([2, 3], gap="large")
    with text_column:
        st.markdown(say("home.text"))
        st.markdown(f"**{say('home.tour')}**")
        with st.container(gap=None, key="tour"):
            tour()
    with preview_column:
        preview()
    tasks = [(page.url, f"{page.task}.title", f"{page.task}.note") for page in PAGES.values()]
    tasks.append((TRANSLATION_URL, "translation.title", "translation.note"))
    for row in (tasks, _TOOLS):
        for column, (url, title, note) in zip(st.columns(len(row), gap="medium"), row, strict=True):
            with column.container(border=True, key=f"tile_{url}", height="stretch", gap="xsmall"):
                navigation.link(url, f"**{say(title)}**")
                st.caption(say(note))


_TOOLS = [
    ("models", "pages.models_title", "home.models_note"),
    ("evaluation", "pages.evaluation_title", "home.evaluation_note"),
    ("training", "pages.training_title", "pages.training_note"),
]
