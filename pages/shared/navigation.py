"""The places of the navigation, each of one page or several, and links and switches between pages by the last part of
their addresses."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared import history, links
from pages.shared.own_tasks import escaped

_drawer = st.components.v2.component(
    "drawer", html="<div></div>", js=Path(__file__).with_name("drawer.js").read_text(encoding="utf-8")
)
# In the session: the pages and the links between those of a place, whose titles are in the visitor's language; the page
# that is open.
_PAGES, _BESIDE, _CURRENT = "pages", "pages_beside", "page_open"


@dataclass(frozen=True)
class Entry:
    """A page. url: the last part of its address. is_shown: whether links lead to it."""

    draw: Callable[[], None]
    title: str
    url: str
    is_shown: bool = True


@dataclass(frozen=True)
class Place:
    """An entry of the navigation: it leads to that of its pages where the visitor was last, at first to the first one.
    title: by default that of its only page."""

    pages: tuple[Entry, ...]
    title: str = ""


def run(places: Sequence[Place], above: Callable[[], None]) -> None:
    """Draws the navigation and the page that the visitor has opened; above it, but once it is drawn, `above`. The first
    page of all is the default."""
    _drawer(key="drawer")
    page = st.navigation(_build(places), position="top")
    url = page.url_path or _urls(places[0])[0]  # the default page is at the root of the address
    place = next(place for place in places if url in _urls(place))
    if st.session_state.get(_key(place)) != url:  # another page of the place is in the navigation
        st.session_state[_key(place)] = url
        page = st.navigation(_build(places), position="top")
    shown = [entry for entry in place.pages if entry.is_shown or entry.url == url]
    st.session_state.update({_BESIDE: [(entry.url, entry.title) for entry in shown], _CURRENT: url})
    place_above = st.container(key="above", gap=None)
    links.state().clear()
    page.run()
    with place_above:
        above()


def unknown(places: Sequence[Place]) -> str:
    """The last part of the address that the browser shows, if it is of no page; else empty, also where it contains a
    `/`, which no page of Streamlit's may."""
    url = unquote(urlsplit(st.context.url or "").path.rpartition("/")[2])
    return "" if "/" in url or any(url in _urls(place) for place in places) else url


def link(url: str, label: str, icon: str | None = None) -> None:
    """Draws a link to a page. url: the last part of its address."""
    st.page_link(_page(url), label=label, icon=icon)


def switch(url: str) -> None:
    """Goes to a page. url: the last part of its address."""
    st.switch_page(_page(url))


def switch_link(url: str, parameters: Mapping[str, str]) -> None:
    """Goes to a page that shows what a link says, whatever the session holds."""
    page = _page(url)
    history.open_link()
    st.switch_page(page, query_params=parameters)


def has_page(url: str) -> bool:
    """Whether there is a page with this last part of its address."""
    return url in st.session_state[_PAGES]


def current() -> str:
    """The last part of the address of the page that is open."""
    return st.session_state[_CURRENT]


def beside() -> DeltaGenerator:
    """Draws links to the pages of the same place in a row, if there are several; returns the row."""
    row = st.container(horizontal=True, vertical_alignment="center", gap="small", key="beside")
    pages = st.session_state[_BESIDE]
    with row:
        for url, title in pages if len(pages) > 1 else []:
            st.page_link(_page(url), label=escaped(url, title), width="content")
    return row


def _build(places: Sequence[Place]) -> list[st.Page]:
    """The pages, of each place one in sight. They are stored in the session for `link` and `switch`."""
    pages: dict[str, st.Page] = {}
    for place in places:
        urls = _urls(place)
        front = st.session_state.get(_key(place))
        front = front if front in urls else urls[0]
        for entry in place.pages:
            visibility = "visible" if entry.url == front else "hidden"
            title = place.title if place.title and entry.url == front else entry.title
            pages[entry.url] = st.Page(
                entry.draw, title=title, url_path=entry.url, default=not pages, visibility=visibility
            )
    st.session_state[_PAGES] = pages
    return [*pages.values()]


def _urls(place: Place) -> list[str]:
    return [entry.url for entry in place.pages]


def _key(place: Place) -> str:
    """In the session: the page where the visitor was last."""
    return f"last_of_{_urls(place)[0]}"


def _page(url: str) -> st.Page:
    return st.session_state[_PAGES][url]
