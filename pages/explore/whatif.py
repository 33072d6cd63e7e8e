"""What-if: the prediction after a head, a token or a row of attention is changed.

The browser sends every change to `POST explorer/interventions`; the page is not rerun.
"""

from __future__ import annotations

from pages.routes import whatif
from pages.shared.component import component
from pages.shared.selection import parse_heads, selection
from pages.shared.visitor import page_theme, translator
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.whatif import whatif_data
from viz_core.records import Explanation

_whatif = component("whatif", '<div class="explorer whatif"></div>')


def whatif_section(info: CheckpointInfo, explanation: Explanation) -> None:
    """Draws what-if for one input; at first it shows the row that is selected in the explorer."""
    texts = explanation.encoding.texts
    request = {"url": whatif.PATH, "body": {"task": explanation.task, "model": info.name, "texts": list(texts)}}
    _whatif(
        key=f"whatif_{explanation.task}",
        data=whatif_data(explanation, translator(), page_theme(), request, _selected_row(explanation)),
    )


def _selected_row(explanation: Explanation) -> tuple[int, int, int]:
    """Layer, head and query from 0; of several selected heads, the first."""
    selected = selection(explanation)
    (layer, head), *_ = parse_heads(selected["head"], *explanation.attention.shape[:2])
    query = selected["query"]
    return layer or 0, head or 0, 0 if query == "all" else int(query) - 1
