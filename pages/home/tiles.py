"""The ways into the app: a tile per page, each with a picture of what is there (tests/tile_pictures.py)."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Literal

import streamlit as st

from pages.shared import navigation
from pages.shared.tasks import PAGES, TRANSLATION_URL
from pages.shared.visitor import page_theme, translator

_PICTURES = Path(__file__).parent / "pictures"
_TOOLS = [
    ("inside", "inside.title", "inside.note"),
    ("models", "pages.models_title", "home.models_note"),
    ("evaluation", "pages.evaluation_title", "home.evaluation_note"),
    ("training", "pages.training_title", "pages.training_note"),
]


def tiles() -> None:
    """A row of tasks, and a row of tools."""
    tasks = [(page.url, f"{page.task}.title", f"{page.task}.note") for page in PAGES.values()]
    tasks.append((TRANSLATION_URL, "translation.title", "translation.note"))
    for row in (tasks, _TOOLS):
        for column, (url, title, note) in zip(st.columns(len(row), gap="medium"), row, strict=True):
            with column:
                _tile(url, title, note)


def _tile(url: str, title: str, note: str) -> None:
    """The link names the tile, so that its picture has no name of its own."""
    say, picture = translator(), _picture(url, page_theme().mode)
    with st.container(border=True, key=f"tile_{url}", height="stretch", gap="xsmall"):
        if picture:
            st.html(f'<img alt="" src="{picture}">')
        navigation.link(url, f"**{say(title)}**")
        st.caption(say(note))


@cache
def _picture(url: str, mode: Literal["light", "dark"]) -> str:
    """The picture as a data URL; empty for a page that has none yet."""
    file = _PICTURES / f"{url}_{mode}.webp"
    return f"data:image/webp;base64,{b64encode(file.read_bytes()).decode()}" if file.exists() else ""
