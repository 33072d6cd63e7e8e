"""The figures that runs are measured by, in words and as columns of a table; which ones, the record of a task says."""

from collections.abc import Iterable
from typing import get_args

import streamlit as st

from pages.shared.visitor import translator
from pages.training import runs
from viz_core.jobs.runs import Run
from viz_core.records import Evaluation
from viz_core.rendering.curves import FORMATS, Measure
from viz_core.tasks import all_tasks

_EVERYWHERE = ("loss", "lr", "speed")  # measured in every training


def measures_of(some_runs: Iterable[Run]) -> list[Measure]:
    """The measures of the tasks of these runs on validation, in the order of the charts."""
    tasks = all_tasks()
    records = {task.kind for run in some_runs if (task := tasks.get(runs.task_of(run)))}
    measured = {measure.name for kind in records for measure in kind.measures}
    return [name for name in get_args(Measure) if name in measured]


def charts_of(some_runs: Iterable[Run]) -> list[Measure]:
    """The same with those of every training."""
    measured = {*_EVERYWHERE, *measures_of(some_runs)}
    return [name for name in get_args(Measure) if name in measured]


def in_words(evaluation: Evaluation | None) -> list[str]:
    """The figures on validation that an evaluation has, such as “accuracy 70.0%”."""
    say, measures = translator(), [name for name in get_args(Measure) if name not in _EVERYWHERE]
    return [
        say(f"pages.figure_{name}", value=f"{value:{FORMATS[name]}}".replace("-", "−"))
        for name in measures
        if evaluation and (value := evaluation.value(name)) is not None
    ]


def columns(evaluation: Evaluation, measures: Iterable[str]) -> dict[str, float | None]:
    """The cells of a row, by the title of their column."""
    return {translator()(f"pages.column_{name}"): evaluation.value(name) for name in measures}


def column_config(measures: Iterable[str]) -> dict:
    """How a table writes these columns."""
    say, formats = translator(), {**FORMATS, "majority_accuracy": FORMATS["accuracy"]}
    return {
        say(f"pages.column_{name}"): st.column_config.NumberColumn(
            format="percent" if formats[name].endswith("%") else f"%{formats[name]}"
        )
        for name in measures
    }
