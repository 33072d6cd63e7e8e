"""A replayed translation: what it was at each evaluation, and one of its three attentions at the selected one."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared import downloads
from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from pages.training.playing import pick_head
from pages.training.replay_table import texts_table
from pages.training.run_charts import map_theme
from viz_core.analysis.selection import translation_map
from viz_core.jobs.runs import Run
from viz_core.records import Evaluation, Translation
from viz_core.records.translation import Kind
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.tables.downloads import map_csv
from viz_core.training.door import read_snapshot

KINDS: tuple[Kind, ...] = ("cross", "causal", "self")


def draw(
    run: Run,
    number: int,
    translation: Translation,
    labels: Mapping[int, str],
    rows: Mapping[int, Evaluation],
    views: DeltaGenerator,
    pickers: DeltaGenerator,
    beside: DeltaGenerator,
) -> None:
    """The translation at one evaluation: the map in `views`, on a colour scale that all evaluations share, the
    translations `beside`.

    labels: of all evaluations with a snapshot. rows: the evaluations measured.
    """
    say = translator()
    with pickers:
        kind = st.segmented_control(
            say("pages.training_attention"),
            KINDS,
            key=f"replay_kind_{run.id}",
            default=KINDS[0],
            required=True,
            label_visibility="collapsed",
            format_func=lambda name: say(f"pages.training_attention_{name}"),
        )
        layer, head = pick_head(run, *translation.attention[kind].shape[:2])
    with beside:
        st.markdown(f"**{escape_markdown(_in_words(translation))}**")  # no heading: at first it is endless
        texts_table(run, say("pages.training_translation"), labels, rows, partial(_read, run.path, number))
    with views:
        map_ = translation_map(translation, kind, layer, head)
        heatmap = attention_heatmap(map_, say, map_theme())
        downloads.show(heatmap, "replay_heatmap", lambda: map_csv(map_), alt=say(map_.title))
        st.caption(say("pages.training_same_colours"))


@st.cache_resource(max_entries=4096, show_spinner=False)
def _read(path: Path, number: int, evaluation: int) -> str:
    return _in_words(read_snapshot(path, evaluation, number))


def _in_words(translation: Translation) -> str:
    """The translation as it is written; an ellipsis where it was cut off."""
    return f"{translation.text}{'' if translation.complete else ' …'}"
