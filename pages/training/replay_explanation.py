"""A replayed classification: prediction and attention at one evaluation, on scales that all evaluations share."""

from contextlib import suppress
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared import downloads
from pages.shared.own_tasks import task_theme
from pages.shared.visitor import translator
from pages.training.playing import pick_head
from pages.training.run_charts import map_theme
from viz_core.analysis.selection import attention_map, default_source, token_weights, top_tokens
from viz_core.jobs.runs import Run
from viz_core.records import Explanation, Failure, TokenWeights
from viz_core.rendering.map_and_bars import map_and_bars
from viz_core.rendering.probabilities import probability_bars, verdict
from viz_core.rendering.scales import shared_bounds
from viz_core.rendering.theme import half_width
from viz_core.tables.downloads import map_csv
from viz_core.training.door import read_snapshot, snapshot_evaluations

TOP = 12  # bars shown
WIDTH = 650  # px, of the column of the map on a screen of 1280 × 800


def draw(
    run: Run,
    evaluation: int,
    number: int,
    explanation: Explanation,
    views: DeltaGenerator,
    pickers: DeltaGenerator,
    beside: DeltaGenerator,
) -> None:
    """One evaluation: map and bars in `views`, the prediction `beside`.

    Bar scale and rows, like the colours, are shared by all evaluations, so that they can be compared.
    """
    say = translator()
    with pickers:
        layer, head = pick_head(run, *explanation.attention.shape[:2])
    by_evaluation = _weights_of_all(run, number, layer, head)
    rows = dict(zip(by_evaluation, top_tokens([*by_evaluation.values()], TOP), strict=True))
    shares = shared_bounds(weights.weights for weights in rows.values())
    map_ = attention_map(explanation, layer, head)
    # One figure, so that map and bars change in the same frame.
    figure = map_and_bars(map_, rows[evaluation], say, map_theme(), shares, WIDTH)
    with views:
        downloads.show(figure, "replay_heatmap", lambda: map_csv(map_), alt=say(map_.title))
        st.caption(say("pages.training_same_colours"))
    with beside:
        st.markdown(f"### {say(verdict(explanation))}")
        probabilities = probability_bars(explanation, say, half_width(task_theme(explanation.task)))
        downloads.show(probabilities, "replay_probabilities", alt=say("rendering.probability_title"))


def _weights_of_all(run: Run, number: int, layer: int, head: int) -> dict[int, TokenWeights]:
    """By evaluation, without damaged snapshots."""
    weights = {}
    for evaluation in snapshot_evaluations(run.path, number):
        with suppress(Failure):
            weights[evaluation] = _weights(run.path, evaluation, number, layer, head)
    return weights


@st.cache_resource(max_entries=4096, show_spinner=False)
def _weights(path: Path, evaluation: int, number: int, layer: int, head: int) -> TokenWeights:
    explanation = read_snapshot(path, evaluation, number)
    return token_weights(explanation, layer, head, source=default_source(explanation))
