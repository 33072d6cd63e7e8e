"""A replayed text of a language model: how it went on at each evaluation, and the attention of a head at the selected
one."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared import downloads
from pages.shared.visitor import translator
from pages.training.playing import pick_head
from pages.training.replay_table import texts_table
from pages.training.run_charts import map_theme
from viz_core.analysis.selection import attention_map
from viz_core.jobs.runs import Run
from viz_core.records import Evaluation, Generation
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.rendering.markup import safe
from viz_core.tables.downloads import map_csv
from viz_core.training.door import read_snapshot


def draw(
    run: Run,
    number: int,
    generation: Generation,
    labels: Mapping[int, str],
    rows: Mapping[int, Evaluation],
    views: DeltaGenerator,
    pickers: DeltaGenerator,
    beside: DeltaGenerator,
) -> None:
    """The text at one evaluation: the map in `views`, on a colour scale that all evaluations share, the texts `beside`.

    labels: of all evaluations with a snapshot. rows: the evaluations measured.
    """
    say = translator()
    with pickers:
        layer, head = pick_head(run, *generation.explanation.attention.shape[:2])
    with beside:
        given = generation.text[: len(generation.text) - len(generation.written)]
        st.html(f'<div dir="auto">{safe(given)}<b>{safe(_in_words(generation))}</b></div>')
        texts_table(run, say("pages.training_continuation"), labels, rows, partial(_read, run.path, number))
    with views:
        map_ = attention_map(generation.explanation, layer, head)
        heatmap = attention_heatmap(map_, say, map_theme())
        downloads.show(heatmap, "replay_heatmap", lambda: map_csv(map_), alt=say(map_.title))
        st.caption(say("pages.training_same_colours"))


@st.cache_resource(max_entries=4096, show_spinner=False)
def _read(path: Path, number: int, evaluation: int) -> str:
    return _in_words(read_snapshot(path, evaluation, number)).strip()


def _in_words(generation: Generation) -> str:
    """What the model wrote; an ellipsis where it was cut off."""
    return f"{generation.written}{'' if generation.complete else ' …'}"
