"""The ways into the app: a tile per page, each with a picture of what is there (tests/tile_pictures.py)."""

from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Literal

import streamlit as st

from pages.shared import navigation
from pages.shared.kinds import task_page, tasks_with_page
from pages.shared.visitor import page_theme, translator
from viz_core.records import ELSEWHERE

_PICTURES = Path(__file__).parent / "pictures"
_TOOLS = [
    ("inside", "inside.page", "inside.title", "inside.note"),
    ("models", "health.page", "pages.models_title", "home.models_note"),
    ("evaluation", "pages.evaluation", "pages.evaluation_title", "home.evaluation_note"),
    ("training", "pages.training", "pages.training_title", "pages.training_note"),
]
_IN_ROW = len(_TOOLS)


def tiles() -> None:
    """A row of tasks, and a row of tools."""
    say = translator()
    tasks = [
        (page.url, page.sentence(say, "page"), page.sentence(say, "title"), page.sentence(say, "note", ""))
        for page in map(task_page, tasks_with_page())
        if page.task not in ELSEWHERE
    ]
    tools = [(url, *map(say, keys)) for url, *keys in _TOOLS]
    for row in (*(tasks[start : start + _IN_ROW] for start in range(0, len(tasks), _IN_ROW)), tools):
        for column, tile in zip(st.columns(_IN_ROW, gap="medium"), row, strict=False):
            with column:
                _tile(*tile)


def _tile(url: str, page: str, title: str, note: str) -> None:
    """The link names the tile, so that its picture has no name of its own.

    page: its name in the navigation, which some pages have for their title.
    """
    picture = _picture(url, page_theme().mode)
    with st.container(border=True, key=f"tile_{url}", height="stretch", gap="xsmall"):
        if picture:
            st.html(f'<img alt="" src="{picture}">')
        navigation.link(url, f"**{page}**" if title == page else f"**{page}** · {title}")
        st.caption(note)


@cache
def _picture(url: str, mode: Literal["light", "dark"]) -> str:
    """The picture as a data URL; empty for a page that has none yet."""
    file = _PICTURES / f"{url}_{mode}.webp"
    return f"data:image/webp;base64,{b64encode(file.read_bytes()).decode()}" if file.exists() else ""
