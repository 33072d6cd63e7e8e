"""What-if on a page: what would the model answer if a head, a token or a row of attention were otherwise?

Everything is tried in the browser, which asks `POST explorer/interventions`; the page is not run again for it.
"""

from __future__ import annotations

from pages.explore.component import component
from pages.routes import interventions
from pages.shared.selection import parsed, selection
from pages.shared.visitor import page_theme, translator
from viz_core.checkpoints import CheckpointInfo
from viz_core.explorer.whatif import whatif_data
from viz_core.records import Explanation

_whatif = component("whatif", '<div class="explorer whatif"></div>')


def whatif(info: CheckpointInfo, explanation: Explanation) -> None:
    """What-if of one input; its row is at first the one that is selected in the explorer."""
    texts = explanation.encoding.texts
    request = {
        "url": interventions.PATH,
        "body": {"task": explanation.task, "model": info.name, "texts": list(texts)},
    }
    _whatif(
        key=f"whatif_{explanation.task}",
        data=whatif_data(explanation, translator(), page_theme(), request, _selected_row(explanation)),
    )


def _selected_row(explanation: Explanation) -> tuple[int, int, int]:
    """Layer, head and query; of a selection of several, the first."""
    selected = selection(explanation)
    (layer, head), *_ = parsed(selected["head"], *explanation.attention.shape[:2])
    query = selected["query"]
    return layer or 0, head or 0, 0 if query == "all" else int(query) - 1
