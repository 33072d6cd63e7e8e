"""Charts of runs: overlaid training curves, and the confusion matrix of one evaluation."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages.shared import downloads
from pages.shared.visitor import page_theme, translator
from pages.training import run_views, runs
from pages.training.measures import charts_of
from viz_core.jobs.runs import Run
from viz_core.records import Evaluation
from viz_core.rendering.confusion import confusion_matrix
from viz_core.rendering.curves import MAJORITY_BASELINE, training_curves
from viz_core.rendering.curves import curves as read_curves
from viz_core.tasks import TASKS


def curves(selected: list[Run]) -> None:
    """Loss, the measures of the tasks, learning rate and speed of all selected runs."""
    # The oldest first, so that a run keeps its colour when another starts.
    say, series = (
        translator(),
        {run.name: run_views.read_evaluations(run) for run in sorted(selected, key=lambda run: run.id)},
    )
    if not any(series.values()):
        st.caption(say("pages.training_no_figures"))
        return
    measures = charts_of(selected)
    for start in range(0, len(measures), 2):
        for column, measure in zip(st.columns(2, gap="medium"), measures[start : start + 2], strict=True):
            lines = [line for name, rows in series.items() for line in read_curves(name, rows, measure)]
            figure = training_curves(
                lines,
                say,
                page_theme(),
                measure,
                baseline=_baseline(series) if measure == "accuracy" else MAJORITY_BASELINE.get(measure),
            )
            with column:
                downloads.show(figure, f"curve_{measure}", alt=say(f"rendering.curves_{measure}"))


def confusion(run: Run, row: Evaluation | None) -> None:
    """The confusion matrix of one evaluation on validation; nothing where it was not measured."""
    counts, task = row and row.figures.confusion, TASKS.get(runs.task_of(run))
    if counts and task:
        downloads.show(
            confusion_matrix(counts, task.labels, "validation", translator(), page_theme()),
            "confusion",
            alt=translator()("rendering.confusion_validation"),
        )


def _baseline(series: Mapping[str, list[Evaluation]]) -> float | None:
    """The majority-class accuracy, if it is the same for all runs."""
    shares = {row.figures.majority_accuracy for rows in series.values() for row in rows} - {None}
    return shares.pop() if len(shares) == 1 else None
