"""The replay: prediction and attention of a pinned input at every evaluation of a run, from initialisation on."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
import streamlit as st

from pages.shared import downloads
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from pages.training import run_charts, run_views
from viz_core.analysis.selection import attention_map, default_source, token_weights, top_tokens
from viz_core.jobs.runs import Run
from viz_core.records import Evaluation, Failure, TokenWeights
from viz_core.rendering.bars import token_bars
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.rendering.probabilities import probability_bars, verdict
from viz_core.rendering.scales import shared_bounds
from viz_core.tables.downloads import map_csv, weights_csv
from viz_core.training.door import MAX_PINNED, read_snapshot, snapshot_evaluations

TOP = 12  # bars shown


@st.fragment
def replay(run: Run) -> None:
    """The slider over the evaluations, and the views of the selected one."""
    say = translator()
    rows = {row.evaluation: row for row in run_views.read_evaluations(run) if row.evaluation is not None}
    inputs = {number: _text(run, number) for number in range(MAX_PINNED) if snapshot_evaluations(run.path, number)}
    if inputs:
        input_column, slider_area = st.columns([2, 3], gap="large")
        number = input_column.selectbox(
            say("pages.training_input"), inputs, key=f"replay_input_{run.id}", format_func=inputs.get
        )
    else:
        st.caption(say("pages.training_no_snapshots"))
        if not rows:
            return
        number, slider_area = None, st.container()
    with slider_area:
        evaluation = _slider(run, sorted(rows) if number is None else snapshot_evaluations(run.path, number), rows)
    if number is not None:
        try:
            _draw_evaluation(run, evaluation, number)
        except Failure as failure:
            st.warning(escape_markdown(say(failure.message)), icon=":material/broken_image:")
    run_charts.confusion(run, rows.get(evaluation))


def _slider(run: Run, numbers: list[int], rows: Mapping[int, Evaluation]) -> int:
    """The selected evaluation; follows the newest while a run goes on, unless the slider was moved back."""
    key, last = f"replay_at_{run.id}", f"replay_last_{run.id}"
    state = st.session_state
    if state.get(key) not in numbers or state[key] == state.get(last):
        state[key] = numbers[-1]
    state[last] = numbers[-1]
    if len(numbers) == 1:  # a slider needs two ends
        return numbers[0]
    labels = {number: _evaluation_label(number, rows.get(number)) for number in numbers}
    return st.select_slider(translator()("pages.training_evaluation"), numbers, key=key, format_func=labels.get)


def _evaluation_label(evaluation: int, row: Evaluation | None) -> str:
    say = translator()
    if evaluation == 0:
        return say("pages.training_start_point")
    if row is None:
        return str(evaluation)
    return say(f"pages.training_epoch_{row.phase}", epoch=f"{round(row.epoch or 0, 2):g}")


def _draw_evaluation(run: Run, evaluation: int, number: int) -> None:
    """One evaluation; colour scale, bar scale and rows are shared by all evaluations, so that they can be compared."""
    say, theme = translator(), page_theme()
    explanation = read_snapshot(run.path, evaluation, number)
    layers, heads = explanation.attention.shape[:2]
    prediction_column, map_column = st.columns([2, 3], gap="large")
    with prediction_column, st.container(horizontal=True, gap="small"):
        layer = _number(run, "layer", layers)
        head = _number(run, "head", heads)
    by_evaluation = _summarise_all(run, number, layer, head)
    rows = dict(zip(by_evaluation, top_tokens([weights for _, weights in by_evaluation.values()], TOP), strict=True))
    colours = shared_bounds(bounds for bounds, _ in by_evaluation.values())
    shares = shared_bounds(weights.weights for weights in rows.values())
    with prediction_column:
        st.markdown(f"#### {say(verdict(explanation))}")
        downloads.show(
            probability_bars(explanation, say, theme), "replay_probabilities", alt=say("rendering.probability_title")
        )
        downloads.show(
            token_bars(rows[evaluation], say, theme, bounds=shares),
            "replay_bars",
            lambda: weights_csv(by_evaluation[evaluation][1]),
            alt=say(rows[evaluation].title),
        )
    with map_column:
        map_ = attention_map(explanation, layer, head)
        downloads.show(
            attention_heatmap(map_, say, theme, "sqrt", colours),
            "replay_heatmap",
            lambda: map_csv(map_),
            alt=say(map_.title),
        )
        st.caption(say("pages.training_same_colours"))


def _summarise_all(run: Run, number: int, layer: int, head: int) -> dict[int, tuple[np.ndarray, TokenWeights]]:
    """By evaluation: smallest and largest weight of the map `(2,)`, and token weights; without damaged snapshots."""
    summaries = {}
    for evaluation in snapshot_evaluations(run.path, number):
        with suppress(Failure):
            summaries[evaluation] = _summarise(run.path, evaluation, number, layer, head)
    return summaries


@st.cache_resource(max_entries=4096, show_spinner=False)
def _summarise(path: Path, evaluation: int, number: int, layer: int, head: int) -> tuple[np.ndarray, TokenWeights]:
    explanation = read_snapshot(path, evaluation, number)
    weights = attention_map(explanation, layer, head).weights
    return np.array([weights.min(), weights.max()]), token_weights(
        explanation, layer, head, source=default_source(explanation)
    )


def _number(run: Run, name: str, count: int) -> int:
    """A picker of a layer or head, shown from 1, returned from 0."""
    return st.selectbox(
        translator()(f"pages.training_{name}"),
        range(count),
        key=f"replay_{name}_{run.id}",
        index=count - 1 if name == "layer" else 0,
        format_func=lambda index: str(index + 1),
    )


def _text(run: Run, number: int) -> str:
    """The text of a pinned input; its number where the request does not have it."""
    pinned = run.request.settings.get("pinned")
    if not isinstance(pinned, list) or number >= len(pinned):
        return str(number + 1)
    return pinned[number] if isinstance(pinned[number], str) else " | ".join(map(str, pinned[number]))
