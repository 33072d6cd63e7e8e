"""What-if on a page: what would the model answer if a head, a token or a row of attention were otherwise?

Everything is tried in the browser, which asks `POST explorer/interventions`; the page is not run again for it.
"""

from __future__ import annotations

import streamlit as st

from pages.shared import explorer, interventions
from pages.shared.visitor import page_theme, translator
from viz_core.checkpoints import Listing
from viz_core.explorer.whatif import whatif_data
from viz_core.records import Explanation

_whatif = st.components.v2.component(
    "whatif", html='<div class="explorer whatif"></div>', css=explorer.component_file("whatif.css"),
    js=explorer.component_file("whatif.js"))


def whatif(listing: Listing, explanation: Explanation) -> None:
    """What-if of one input; its row is at first the one that is selected in the explorer."""
    texts = explanation.encoding.texts
    request = {"url": interventions.PATH,
               "body": {"task": explanation.task, "model": listing.name, "texts": list(texts)}}
    _whatif(key=f"whatif_{explanation.task}",
            data=whatif_data(explanation, translator(), page_theme(), request, _selected_row(explanation)))


def _selected_row(explanation: Explanation) -> tuple[int, int, int]:
    """Layer, head and query; of a selection of several, the first."""
    selection = explorer.selection(explanation)
    (layer, head), *_ = explorer.parsed(selection["head"], *explanation.attention.shape[:2])
    query = selection["query"]
    return layer or 0, head or 0, 0 if query == "all" else int(query) - 1
