"""Links and switches between pages, by the last part of a page's address."""

from collections.abc import Sequence

import streamlit as st

_PAGES = "pages"  # in the session: titles are in the visitor's language


def remember(pages: Sequence[st.Page]) -> list[st.Page]:
    """Stores the visitor's pages in the session, for `link` and `switch`, and returns them."""
    st.session_state[_PAGES] = list(pages)
    return st.session_state[_PAGES]


def link(url: str, label: str, icon: str | None = None) -> None:
    """Draws a link to a page. url: the last part of its address."""
    st.page_link(_page(url), label=label, icon=icon)


def switch(url: str) -> None:
    """Goes to a page. url: the last part of its address."""
    st.switch_page(_page(url))


def _page(url: str) -> st.Page:
    return next(page for page in st.session_state[_PAGES] if page.url_path == url)
