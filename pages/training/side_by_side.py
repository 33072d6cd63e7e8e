"""One input through two models side by side: the selected runs, and the models of their task."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.shared import downloads, health
from pages.shared.inputs import box_values, example_buttons
from pages.shared.opening import open_input
from pages.shared.pickers import explain_or_warn
from pages.shared.selection import reference
from pages.shared.tasks import PAGES
from pages.shared.visitor import page_theme, translator
from pages.shared.wording import escape_markdown
from pages.training import runs
from viz_core import checkpoints
from viz_core.analysis.selection import attention_map, default_source, token_weights, top_tokens
from viz_core.checkpoints import CheckpointInfo
from viz_core.jobs.runs import Run
from viz_core.records import AttentionMap, Explanation, Failure, TokenWeights
from viz_core.rendering.bars import token_bars
from viz_core.rendering.heatmap import attention_heatmap
from viz_core.rendering.labels import shorten
from viz_core.rendering.probabilities import probability_bars, verdict
from viz_core.rendering.scales import shared_bounds
from viz_core.rendering.shaded_text import shaded_text
from viz_core.rendering.theme import half_width
from viz_core.tables.downloads import map_csv, weights_csv
from viz_core.tasks import TASKS

TOP = 12  # bars shown
LABEL_COLUMNS = 24  # width of an input on its button, in Latin letters
SIDES = ("left", "right")
PREFIX = "beside_"  # of the keys of its text boxes
MEAN = 0  # the option that stands for the mean, beside numbers from 1


@dataclass(frozen=True, eq=False)
class _Side:
    """One of the two models, and its output: everything, and the selected map and token weights."""

    info: CheckpointInfo
    head: str  # `layer.head` from 1, `*` for the mean
    explanation: Explanation
    map: AttentionMap
    weights: TokenWeights


def side_by_side(selected: list[Run]) -> None:
    """Draws the comparison if there are two candidates: a run with a checkpoint, or a model of the pickers."""
    say = translator()
    tasks = [task for task in TASKS if any(runs.task_of(run) == task and runs.best_checkpoint(run) for run in selected)]
    if not tasks:
        return
    st.subheader(say("pages.training_side_by_side"), anchor="beside")
    st.caption(say("pages.training_side_by_side_note"))
    task = (
        tasks[0]
        if len(tasks) == 1
        else st.segmented_control(
            say("pages.training_task"),
            tasks,
            key="beside_task",
            default=tasks[0],
            required=True,
            format_func=lambda name: say(f"{name}.name"),
        )
    )
    task_runs = [run for run in selected if runs.task_of(run) == task]
    candidates = _candidates(task_runs, task)
    if len(candidates) < 2:
        st.caption(say("pages.training_side_by_side_single"))
    else:
        _comparison_fragment(task, candidates, runs.pinned_inputs(task_runs))


def _candidates(selected: list[Run], task: str) -> dict[str, CheckpointInfo]:
    """The models to choose from, by their label."""
    say, candidates = translator(), {}
    for run in selected:
        try:
            candidates[say("pages.training_of_run", name=run.name)] = checkpoints.read_info(runs.best_checkpoint(run))
        except (Failure, TypeError):  # no checkpoint yet, or just replaced by a better one
            continue
    return candidates | {
        say("pages.training_of_model", name=info.name): info
        for info in checkpoints.task_checkpoints(task)
        if info.settings.model.layers
    }


@st.fragment
def _comparison_fragment(task: str, candidates: dict[str, CheckpointInfo], pinned: list[tuple[str, ...]]) -> None:
    texts = _input_boxes(task, pinned)
    heads = st.columns(2, gap="large")
    sides = [
        _side(name, number, candidates, texts, column)
        for number, (name, column) in enumerate(zip(SIDES, heads, strict=True))
    ]
    if all(sides):
        _explorer_button(*sides, texts)
        _draw_views(sides)


def _input_boxes(task: str, pinned: list[tuple[str, ...]]) -> list[str]:
    """The text boxes, with buttons for the examples and the pinned inputs of the runs."""
    say, page = translator(), PAGES[task]
    example_texts = [texts for _, texts in page.examples]
    pinned_examples = [
        (escape_markdown(shorten(" | ".join(texts), LABEL_COLUMNS)), texts)
        for texts in pinned
        if texts not in example_texts
    ]
    for key, text in box_values(page, page.first_texts, PREFIX).items():
        st.session_state.setdefault(key, text)
    with st.container():
        texts = [
            column.text_area(say(f"{task}.box_{box}"), key=f"{PREFIX}{box}", height=80, persist_state="session")
            for column, box in zip(st.columns(len(page.boxes)), page.boxes, strict=True)
        ]
    example_buttons(page, PREFIX, pinned_examples)
    return texts


def _side(name: str, number: int, candidates: dict[str, CheckpointInfo], texts: list[str], column) -> _Side | None:
    """The pickers of one side and their result; None after showing why there is none."""
    say, labels = translator(), list(candidates)
    with column:
        key = f"beside_{name}"
        if st.session_state.get(key) not in labels:
            st.session_state[key] = labels[number]
        label = st.selectbox(say(f"pages.training_{name}"), labels, key=key, persist_state="session")
        explanation = explain_or_warn(candidates[label], *texts)
        if explanation is None:
            return None
        with st.container(horizontal=True, gap="small"):
            layer, head = (
                _number(f"{key}_{axis}", axis, count)
                for axis, count in zip(("layer", "head"), explanation.attention.shape, strict=False)
            )
        health.short_warning(candidates[label])
        for notice in explanation.notices:
            st.warning(escape_markdown(say(notice)), icon=":material/info:")
    return _Side(
        candidates[label],
        ".".join("*" if number is None else str(number + 1) for number in (layer, head)),
        explanation,
        attention_map(explanation, layer, head),
        token_weights(explanation, layer, head, source=default_source(explanation)),
    )


def _number(key: str, axis: str, count: int) -> int | None:
    """A picker of a layer or head, shown from 1, returned from 0, None for the mean. count: of this model."""
    say, options = translator(), [*range(1, count + 1), MEAN]
    if st.session_state.get(key) not in options:
        st.session_state[key] = count if axis == "layer" else MEAN
    number = st.selectbox(
        say(f"pages.training_{axis}"),
        options,
        key=key,
        persist_state="session",
        format_func=lambda option: say("pages.training_mean_of_all") if option == MEAN else str(option),
    )
    return None if number == MEAN else number - 1


def _explorer_button(left: _Side, right: _Side, texts: list[str]) -> None:
    """Opens the explorer with the left model as the reference, if the page of the task offers both models."""
    offered = {info.path for info in checkpoints.task_checkpoints(left.info.task)}
    say, compared_with = translator(), reference(left.info.name, texts, left.head)
    if {left.info.path, right.info.path} <= offered and st.button(
        say("pages.training_compare"), icon=":material/compare:", key="beside_explorer"
    ):
        open_input(right.info, texts, right.head, compared_with)


def _draw_views(sides: list[_Side]) -> None:
    """The views of both sides, row by row so that equal views stand side by side, on shared scales."""
    say, theme = translator(), half_width(page_theme())
    colours = shared_bounds(side.map.weights for side in sides)
    shares = shared_bounds(side.weights.weights for side in sides)
    bars = top_tokens([side.weights for side in sides], TOP)
    for column, side in zip(st.columns(2, gap="large"), sides, strict=True):
        column.markdown(f"#### {say(verdict(side.explanation))}")

    def prediction(name: str, side: _Side, _: TokenWeights) -> None:
        downloads.show(
            probability_bars(side.explanation, say, theme), f"beside_answer_{name}", alt=say(verdict(side.explanation))
        )

    def text(name: str, side: _Side, _: TokenWeights) -> None:
        downloads.show(
            shaded_text(side.weights, say, theme, shares), f"beside_text_{name}", lambda: weights_csv(side.weights)
        )

    def heat_map(name: str, side: _Side, _: TokenWeights) -> None:
        downloads.show(
            attention_heatmap(side.map, say, theme, "sqrt", colours),
            f"beside_map_{name}",
            lambda: map_csv(side.map),
            alt=say(side.map.title),
        )

    def top_token_bars(name: str, side: _Side, top: TokenWeights) -> None:
        downloads.show(
            token_bars(top, say, theme, bounds=shares),
            f"beside_bars_{name}",
            lambda: weights_csv(side.weights),
            alt=say(side.weights.title),
        )

    for draw_view in (prediction, text, heat_map, top_token_bars):
        for name, column, side, top in zip(SIDES, st.columns(2, gap="large"), sides, bars, strict=True):
            with column:
                draw_view(name, side, top)
