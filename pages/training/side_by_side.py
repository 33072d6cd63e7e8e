"""One input through two models next to each other: the runs that are looked at, and the models of their task."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.shared import downloads, health
from pages.shared.inputs import examples, box_values
from pages.shared.pickers import explain_or_warn
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
from viz_core.rendering.theme import beside
from viz_core.tables.downloads import map_csv, weights_csv
from viz_core.tasks import TASKS

TOP = 12  # bars shown
NAMED = 24  # columns of an input on its button
SIDES = ("left", "right")
PREFIX = "beside_"  # of the keys of its text boxes
MEAN = 0  # in the place of a layer's or a head's number, from 1


@dataclass(frozen=True, eq=False)
class _Side:
    """What one of the two models made of the input: the whole of it, and what is looked at."""

    explanation: Explanation
    map: AttentionMap
    weights: TokenWeights


def side_by_side(chosen: list[Run]) -> None:
    """Where there are two models to choose from: one of each run that has got so far, and those of the pickers."""
    say = translator()
    tasks = [task for task in TASKS if any(runs.task_of(run) == task and runs.best_checkpoint(run) for run in chosen)]
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
            format_func=lambda one: say(f"{one}.name"),
        )
    )
    of_task = [run for run in chosen if runs.task_of(run) == task]
    found = _candidates(of_task, task)
    if len(found) < 2:
        st.caption(say("pages.training_side_by_side_single"))
    else:
        _drawn(task, found, runs.pinned(of_task))


def _candidates(chosen: list[Run], task: str) -> dict[str, CheckpointInfo]:
    """By what they are called in the pickers."""
    say, found = translator(), {}
    for run in chosen:
        try:
            found[say("pages.training_of_run", name=run.name)] = checkpoints.read_info(runs.best_checkpoint(run))
        except (Failure, TypeError):  # none yet, or gone since: a better one took its place
            continue
    return found | {
        say("pages.training_of_model", name=one.name): one
        for one in checkpoints.usable(task)
        if one.settings.model.layers
    }


@st.fragment
def _drawn(task: str, found: dict[str, CheckpointInfo], pinned: list[tuple[str, ...]]) -> None:
    texts = _typed(task, pinned)
    heads = st.columns(2, gap="large")
    sides = [
        _side(name, number, found, texts, column)
        for number, (name, column) in enumerate(zip(SIDES, heads, strict=True))
    ]
    if all(sides):
        _pictures(sides)


def _typed(task: str, pinned: list[tuple[str, ...]]) -> list[str]:
    """The input: typed, one of the examples, or one that the runs have followed."""
    say, page = translator(), PAGES[task]
    known = [texts for _, texts in page.examples]
    followed = [(escape_markdown(shorten(" | ".join(texts), NAMED)), texts) for texts in pinned if texts not in known]
    for key, text in box_values(page, page.first_texts, PREFIX).items():
        st.session_state.setdefault(key, text)
    with st.container():
        typed = [
            column.text_area(say(f"{task}.box_{box}"), key=f"{PREFIX}{box}", height=80, persist_state="session")
            for column, box in zip(st.columns(len(page.boxes)), page.boxes, strict=True)
        ]
    examples(page, PREFIX, followed)
    return typed


def _side(name: str, number: int, found: dict[str, CheckpointInfo], texts: list[str], column) -> _Side | None:
    """The pickers of one side, and what they ask for; None after it was said why there is nothing."""
    say, labels = translator(), list(found)
    with column:
        key = f"beside_{name}"
        if st.session_state.get(key) not in labels:
            st.session_state[key] = labels[number]
        called = st.selectbox(say(f"pages.training_{name}"), labels, key=key, persist_state="session")
        explanation = explain_or_warn(found[called], *texts)
        if explanation is None:
            return None
        with st.container(horizontal=True, gap="small"):
            layer, head = (
                _number(f"{key}_{what}", what, count)
                for what, count in zip(("layer", "head"), explanation.attention.shape, strict=False)
            )
        health.warning(found[called])
        for notice in explanation.notices:
            st.warning(escape_markdown(say(notice)), icon=":material/info:")
    return _Side(
        explanation,
        attention_map(explanation, layer, head),
        token_weights(explanation, layer, head, source=default_source(explanation)),
    )


def _number(key: str, what: str, count: int) -> int | None:
    """Layer or head, chosen from 1, given from 0, None for the mean; the other side may have more of them."""
    say, options = translator(), [*range(1, count + 1), MEAN]
    if st.session_state.get(key) not in options:
        st.session_state[key] = count if what == "layer" else MEAN
    number = st.selectbox(
        say(f"pages.training_{what}"),
        options,
        key=key,
        persist_state="session",
        format_func=lambda one: say("pages.training_mean_of_all") if one == MEAN else str(one),
    )
    return None if number == MEAN else number - 1


def _pictures(sides: list[_Side]) -> None:
    """Row by row, so that the same stands beside the same; one scale for both."""
    say, look = translator(), beside(page_theme())
    colours = shared_bounds(side.map.weights for side in sides)
    shares = shared_bounds(side.weights.weights for side in sides)
    bars = top_tokens([side.weights for side in sides], TOP)
    for column, side in zip(st.columns(2, gap="large"), sides, strict=True):
        column.markdown(f"#### {say(verdict(side.explanation))}")

    def answer(name: str, side: _Side, _: TokenWeights) -> None:
        downloads.show(
            probability_bars(side.explanation, say, look), f"beside_answer_{name}", alt=say(verdict(side.explanation))
        )

    def text(name: str, side: _Side, _: TokenWeights) -> None:
        downloads.show(
            shaded_text(side.weights, say, look, shares), f"beside_text_{name}", lambda: weights_csv(side.weights)
        )

    def heat_map(name: str, side: _Side, _: TokenWeights) -> None:
        downloads.show(
            attention_heatmap(side.map, say, look, "sqrt", colours),
            f"beside_map_{name}",
            lambda: map_csv(side.map),
            alt=say(side.map.title),
        )

    def largest(name: str, side: _Side, some: TokenWeights) -> None:
        downloads.show(
            token_bars(some, say, look, bounds=shares),
            f"beside_bars_{name}",
            lambda: weights_csv(side.weights),
            alt=say(side.weights.title),
        )

    for draw in (answer, text, heat_map, largest):
        for name, column, side, some in zip(SIDES, st.columns(2, gap="large"), sides, bars, strict=True):
            with column:
                draw(name, side, some)
