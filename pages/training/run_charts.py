"""Charts of runs: overlaid training curves, and the confusion matrix of one evaluation."""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from pages.shared import downloads
from pages.shared.visitor import page_theme, translator
from pages.training import run_views, runs
from pages.training.measures import charts_of
from viz_core.jobs.runs import Run
from viz_core.records import Evaluation
from viz_core.records.figures import Measure
from viz_core.rendering.confusion import confusion_matrix
from viz_core.rendering.curves import curves as read_curves
from viz_core.rendering.curves import name_measure, training_curves
from viz_core.rendering.theme import Theme, half_width
from viz_core.tasks import find_task

FIRST_WIDTH, MAP_SIDE = 0.75, 0.43  # of a chart and of the map on a screen of 1280 × 800, as shares of the theme's side
FIRST = 2  # charts on the first screen: the loss and the first measure of the task


def first_curves(selected: list[Run]) -> None:
    """Loss and accuracy of all selected runs, small, one above the other."""
    series = _series(selected)
    if not any(series.values()):
        st.caption(translator()("pages.training_no_figures"))
        return
    for measure in charts_of(selected)[:FIRST]:
        _curve(series, measure, half_width(page_theme()), width=round(page_theme().side * FIRST_WIDTH))


def map_theme() -> Theme:
    """The theme of the attention map on the first screen."""
    theme = page_theme()
    return replace(theme, side=round(theme.side * MAP_SIDE))


def measure_curves(selected: list[Run], name: str, theme: Theme, width: int) -> None:
    """One measure of all selected runs."""
    measure = next(measure for measure in charts_of(selected) if measure.name == name)
    _curve(_series(selected), measure, theme, width)


def other_curves(selected: list[Run], shown: tuple[str, ...] = ()) -> None:
    """The other measures of the tasks, learning rate and speed of all selected runs, two in a row.

    shown: measures that are drawn elsewhere.
    """
    series = _series(selected)
    measures = [measure for measure in charts_of(selected)[FIRST:] if measure.name not in shown]
    if not any(series.values()):
        return
    for start in range(0, len(measures), 2):
        for column, measure in zip(st.columns(2, gap="medium"), measures[start : start + 2], strict=False):
            with column:
                _curve(series, measure, page_theme())


def _series(selected: list[Run]) -> dict[str, list[Evaluation]]:
    """By the name of the run; the oldest first, so that a run keeps its colour when another starts."""
    return {run.name: run_views.read_evaluations(run) for run in sorted(selected, key=lambda run: run.id)}


def _curve(series: Mapping[str, list[Evaluation]], measure: Measure, theme: Theme, width: int | None = None) -> None:
    """One chart of all runs."""
    say = translator()
    lines = [line for name, rows in series.items() for line in read_curves(name, rows, measure)]
    baseline = _baseline(series) if measure.name == "accuracy" else measure.baseline
    figure = training_curves(lines, say, theme, measure, width, baseline)
    downloads.show(figure, f"curve_{measure.name}", alt=name_measure(say, "rendering.curves", measure.name))


def confusion(run: Run, row: Evaluation | None) -> None:
    """The confusion matrix of one evaluation on validation; nothing where it was not measured."""
    counts, task = row and row.figures.confusion, find_task(runs.task_of(run))
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
