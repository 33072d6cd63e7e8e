"""Attention as it forms: what a run made of a pinned input at every evaluation, from the random start to the end."""

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
from viz_core.training.door import MOST_PINNED, evaluations, read_snapshot

TOP = 12  # bars shown


@st.fragment
def replay(run: Run) -> None:
    """The slider over the evaluations, and all that it moves."""
    say = translator()
    rows = {row.evaluation: row for row in run_views.rows(run) if row.evaluation is not None}
    inputs = {number: _text(run, number) for number in range(MOST_PINNED) if evaluations(run.path, number)}
    if not inputs:
        st.caption(say("pages.training_no_snapshots"))
    if not inputs and not rows:
        return
    chosen, moved = st.columns([2, 3], gap="large")
    with chosen:
        number = (
            st.selectbox(say("pages.training_input"), inputs, key=f"replay_input_{run.id}", format_func=inputs.get)
            if inputs
            else None
        )
    with moved:
        at = _slider(run, sorted(rows) if number is None else evaluations(run.path, number), rows)
    if number is not None:
        try:
            _drawn(run, at, number)
        except Failure as failure:
            st.warning(escape_markdown(say(failure.message)), icon=":material/broken_image:")
    run_charts.confusion(run, rows.get(at))


def _slider(run: Run, numbers: list[int], rows: Mapping[int, Evaluation]) -> int:
    """Stays at the end while a run goes on, unless it was moved back."""
    key, last = f"replay_at_{run.id}", f"replay_last_{run.id}"
    state = st.session_state
    if state.get(key) not in numbers or state[key] == state.get(last):
        state[key] = numbers[-1]
    state[last] = numbers[-1]
    if len(numbers) == 1:  # a slider needs two ends
        return numbers[0]
    called = {number: _called(number, rows.get(number)) for number in numbers}
    return st.select_slider(translator()("pages.training_evaluation"), numbers, key=key, format_func=called.get)


def _called(evaluation: int, row: Evaluation | None) -> str:
    say = translator()
    if evaluation == 0:
        return say("pages.training_start_point")
    if row is None:
        return str(evaluation)
    return say(f"pages.training_epoch_{row.phase}", epoch=f"{round(row.epoch or 0, 2):g}")


def _drawn(run: Run, at: int, number: int) -> None:
    """What stays is what would hide the change: the colours, the rows and the lengths mean the same at all evaluations."""
    say, look = translator(), page_theme()
    explanation = read_snapshot(run.path, at, number)
    layers, heads = explanation.attention.shape[:2]
    left, right = st.columns([2, 3], gap="large")
    with left, st.container(horizontal=True, gap="small"):
        layer = _number(run, "layer", layers)
        head = _number(run, "head", heads)
    followed = _followed(run, number, layer, head)
    rows = dict(zip(followed, top_tokens([weights for _, weights in followed.values()], TOP), strict=True))
    colours = shared_bounds(bounds for bounds, _ in followed.values())
    shares = shared_bounds(weights.weights for weights in rows.values())
    with left:
        st.markdown(f"#### {say(verdict(explanation))}")
        downloads.show(
            probability_bars(explanation, say, look), "replay_probabilities", alt=say("rendering.probability_title")
        )
        downloads.show(
            token_bars(rows[at], say, look, bounds=shares),
            "replay_bars",
            lambda: weights_csv(followed[at][1]),
            alt=say(rows[at].title),
        )
    with right:
        shown = attention_map(explanation, layer, head)
        downloads.show(
            attention_heatmap(shown, say, look, "sqrt", colours),
            "replay_heatmap",
            lambda: map_csv(shown),
            alt=say(shown.title),
        )
        st.caption(say("pages.training_same_colours"))


def _followed(run: Run, number: int, layer: int, head: int) -> dict[int, tuple[np.ndarray, TokenWeights]]:
    """By evaluation: between which weights the map lies, and the weights of single tokens. Without what is damaged."""
    found = {}
    for evaluation in evaluations(run.path, number):
        with suppress(Failure):
            found[evaluation] = _seen(run.path, evaluation, number, layer, head)
    return found


@st.cache_resource(max_entries=4096, show_spinner=False)
def _seen(path: Path, evaluation: int, number: int, layer: int, head: int) -> tuple[np.ndarray, TokenWeights]:
    explanation = read_snapshot(path, evaluation, number)
    weights = attention_map(explanation, layer, head).weights
    return np.array([weights.min(), weights.max()]), token_weights(
        explanation, layer, head, source=default_source(explanation)
    )


def _number(run: Run, name: str, count: int) -> int:
    """Layer or head, chosen from 1, given from 0."""
    return st.selectbox(
        translator()(f"pages.training_{name}"),
        range(count),
        key=f"replay_{name}_{run.id}",
        index=count - 1 if name == "layer" else 0,
        format_func=lambda one: str(one + 1),
    )


def _text(run: Run, number: int) -> str:
    """What was typed; its number where the request does not say."""
    pinned = run.request.settings.get("pinned")
    if not isinstance(pinned, list) or number >= len(pinned):
        return str(number + 1)
    return pinned[number] if isinstance(pinned[number], str) else " | ".join(map(str, pinned[number]))
