"""The ways into the app: a card for each, with a picture of what is there (tests/card_pictures.py)."""

from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Literal

import streamlit as st

from pages.shared import navigation
from pages.shared.visitor import page_theme, translator

_PICTURES = Path(__file__).parent / "pictures"
CARDS = ("matching", "inside", "models", "training")  # the addresses of pages; `home.card_<address>` in the catalogues


def cards() -> None:
    """The cards in a row."""
    for column, url in zip(st.columns(len(CARDS), gap="medium"), CARDS, strict=True):
        with column:
            _card(url)


def _card(url: str) -> None:
    """The link names the card, so that its picture has no name of its own."""
    say = translator()
    with st.container(border=True, key=f"card_{url}", height="stretch", gap="xsmall"):
        st.html(f'<img alt="" src="{_picture(url, page_theme().mode)}">')
        navigation.link(url, f"**{say(f'home.card_{url}')}**")
        st.caption(say(f"home.card_{url}_note"))


@cache
def _picture(url: str, mode: Literal["light", "dark"]) -> str:
    """The picture as a data URL."""
    file = _PICTURES / f"{url}_{mode}.webp"
    return f"data:image/webp;base64,{b64encode(file.read_bytes()).decode()}"
