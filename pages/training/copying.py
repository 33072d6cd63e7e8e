"""How a head learns to copy: the loss on repeated tokens of the runs and, of one run, two scores of every head."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import streamlit as st

from pages.shared import downloads
from pages.shared.visitor import page_theme, translator
from pages.training import run_charts, run_views, runs
from viz_core.analysis.heads.statistics import given_statistics
from viz_core.jobs.runs import Run
from viz_core.records import Failure, Generation, HeadStatistics
from viz_core.rendering.curves import name_measure
from viz_core.rendering.head_curves import head_curves
from viz_core.tasks import find_task
from viz_core.training.door import MAX_PINNED, read_snapshot, snapshot_evaluations

SCORES = ("previous", "induction")  # in the order in which they rise
REPEATED = "repeated_loss"  # a measure of language models
WIDTH, SIDE = 0.62, 0.8  # of a chart: its width, and what its height follows from, as shares of the theme's side


def is_aim(run: Run) -> bool:
    """Whether copying is what the run is for: its preset keeps the checkpoint that copies best."""
    task = find_task(runs.task_of(run))
    preset = task.presets.get(str(run.request.settings.get("preset", ""))) if task else None
    return preset is not None and preset.recipe.best == REPEATED


def show(selected: list[Run], run: Run) -> bool:
    """The charts side by side; False without any, where no pinned input of the run repeats something.

    selected: of which the losses are drawn. run: of which the heads.
    """
    scores = _first_scores(run)
    if not scores:
        return False
    say, theme = translator(), page_theme()
    width, epochs = round(theme.side * WIDTH), _epochs(run)
    theme = replace(theme, side=round(theme.side * SIDE))
    st.subheader(say("pages.training_copying"), help=say("pages.training_copying_help"), anchor="copying")
    columns = st.columns(1 + len(SCORES), gap="medium")
    with columns[0]:
        run_charts.measure_curves(selected, REPEATED, theme, width)
    measured = [evaluation for evaluation in scores if evaluation in epochs]
    for column, name in zip(columns[1:], SCORES, strict=True):
        when, statistics = np.array([epochs[each] for each in measured]), [scores[each] for each in measured]
        with column:
            figure = head_curves(name, when, statistics, say, theme, width)
            downloads.show(figure, f"scores_{name}", alt=name_measure(say, "rendering.curves", name))
    return True


def _first_scores(run: Run) -> dict[int, HeadStatistics]:
    """By evaluation, the statistics on the first pinned input that repeats something; empty if none does."""
    for number in range(MAX_PINNED):
        scores = {}
        for evaluation in snapshot_evaluations(run.path, number):
            with suppress(Failure):  # damaged
                scores[evaluation] = _statistics(run.path, evaluation, number)
        if scores and all(each and each.induction is not None for each in scores.values()):
            return scores
    return {}


@st.cache_resource(max_entries=4096, show_spinner=False)
def _statistics(path: Path, evaluation: int, number: int) -> HeadStatistics | None:
    """None for what is no continued text. Raises Failure."""
    snapshot = read_snapshot(path, evaluation, number)
    return given_statistics(snapshot) if isinstance(snapshot, Generation) else None


def _epochs(run: Run) -> dict[int, float]:
    """By evaluation, how many epochs were completed; the initialisation is evaluation 0."""
    rows = run_views.read_evaluations(run)
    return {0: 0.0} | {row.evaluation: row.epoch for row in rows if row.evaluation and row.epoch is not None}
