"""What each token adds to the prediction, of models whose logits are sums over their tokens."""

from __future__ import annotations

import streamlit as st

from pages.shared import downloads
from pages.shared.cache import load_model
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from viz_core.analysis.attribution.methods import contributions
from viz_core.checkpoints import CheckpointInfo
from viz_core.records import Explanation
from viz_core.rendering.attributions import attribution_bars
from viz_core.tables.downloads import attributions_csv


def show_contributions(info: CheckpointInfo, explanation: Explanation) -> None:
    """A bar per token; nothing for other models."""
    attribution, say = contributions(load_model(info), explanation), translator()
    if attribution is None:
        return
    st.header(say("kinds.contributions_title"), anchor="contributions")
    label = say(f"rendering.label_{attribution.target}")
    note = "kinds.contributions_note" if len(explanation.labels) == 2 else "kinds.contributions_note_classes"
    st.caption(escape_markdown(say(note, label=label)))
    figure = attribution_bars([attribution], explanation.labels, say, page_theme())
    downloads.show(figure, "contributions", lambda: attributions_csv([attribution]), alt=figure.layout.title.text)
