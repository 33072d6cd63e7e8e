"""The laboratory on a page: what would the model answer if a head, a token or a row of attention were otherwise?

Everything is tried in the browser, which asks `POST explorer/interventions`; the page is not run again for it.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.routes import interventions
from pages.shared.selection import parsed, selection
from pages.shared.visitor import page_theme, translator
from viz_core.checkpoints import Listing
from viz_core.explorer import laboratory
from viz_core.records import Explanation


def _built(file: str) -> str:
    # Streamlit takes text of a single line, as a bundle is, for the name of a file.
    return f"/* {file} */\n" + Path(laboratory.__file__).with_name(file).read_text(encoding="utf-8")


_laboratory = st.components.v2.component(
    "laboratory", html='<div class="explorer laboratory"></div>', css=_built("laboratory.css"), js=_built("laboratory.js"))


def whatif(listing: Listing, explanation: Explanation) -> None:
    """The laboratory of one input; its row is at first the one that is selected in the explorer."""
    texts = explanation.encoding.texts
    request = {"url": interventions.PATH, "body": {"task": explanation.task, "model": listing.name, "texts": list(texts)}}
    _laboratory(key=f"laboratory_{explanation.task}", data=laboratory.laboratory(
        explanation, translator(), page_theme(), request, _selected(explanation)))


def _selected(explanation: Explanation) -> tuple[int, int, int]:
    selected = selection(explanation)
    (layer, head), *_ = parsed(selected["head"], *explanation.attention.shape[:2])
    query = selected["query"]
    return layer or 0, head or 0, 0 if query == "all" else int(query) - 1
