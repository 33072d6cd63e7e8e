"""The colours of the classes of a task of one's own."""

from collections.abc import Sequence

import streamlit as st

from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.rendering.theme import CATEGORIES

_WIDTH = 120  # px of a colour with its name


def pick_colours(labels: Sequence[str], number: int) -> tuple[str, ...]:
    """A colour for each class; none if they are left as they are, so that they go with a light and a dark page, or if
    there are more classes than can be told apart. number: of the table, for the keys."""
    if len(labels) > len(CATEGORIES):
        return ()
    say, theme = translator(), page_theme()
    hues = theme.class_hues(len(labels))
    with st.expander(say("own_data.colours"), icon=":material/palette:"), st.container(horizontal=True, gap="medium"):
        chosen = tuple(
            st.color_picker(escape_markdown(label), hue, key=f"own_colour_{place}_{number}_{theme.mode}", width=_WIDTH)
            for place, (label, hue) in enumerate(zip(labels, hues, strict=True))
        )
    return () if chosen == hues else chosen
