"""The figures that runs are measured by, in words and as columns of a table; which ones, the kind of a task says."""

from collections.abc import Iterable

import streamlit as st

from pages.shared.own_tasks import visible_tasks
from pages.shared.visitor import translator
from pages.training import runs
from viz_core.jobs.runs import Run
from viz_core.records import Evaluation
from viz_core.records.figures import Measure
from viz_core.rendering.curves import LOSS, LR, SPEED, name_measure
from viz_core.tasks import all_tasks, get_task

OVERFITTED = 0.1  # of accuracy


def measures_of(some_runs: Iterable[Run]) -> list[Measure]:
    """The measures of the tasks of these runs on validation, in the order of the tasks."""
    named = {runs.task_of(run) for run in some_runs}
    kinds = dict.fromkeys(task.kind for task in map(get_task, visible_tasks()) if task.name in named)
    return [*{measure.name: measure for kind in kinds for measure in kind.measures}.values()]


def charts_of(some_runs: Iterable[Run]) -> list[Measure]:
    """The same with those of every training."""
    return [LOSS, *measures_of(some_runs), LR, SPEED]


def in_words(evaluation: Evaluation | None) -> list[str]:
    """The figures on validation that an evaluation has, such as “accuracy 70.0%”, in the order of the kind of task that
    has most of them: kinds share some."""
    numbers = evaluation.numbers if evaluation else {}
    kinds = dict.fromkeys(task.kind for task in all_tasks().values())
    known = max(([measure for measure in kind.measures if measure.name in numbers] for kind in kinds), key=len)
    return [
        name_measure(
            translator(),
            "pages.figure",
            measure.name,
            value=f"{numbers[measure.name]:{measure.format}}".replace("-", "−"),
        )
        for measure in known
    ]


def overfitting(run: Run, evaluation: Evaluation | None) -> str:
    """A sentence with both figures where training is ahead of validation by `OVERFITTED`; empty elsewhere."""
    for measure in measures_of([run]):
        numbers = evaluation.numbers if evaluation and measure.training else {}
        training, validation = numbers.get(measure.training), numbers.get(measure.name)
        if training is not None and validation is not None and training - validation >= OVERFITTED:
            return translator()("pages.training_overfits", training=training, validation=validation)
    return ""


def columns(evaluation: Evaluation, measures: Iterable[Measure]) -> dict[str, float | None]:
    """The cells of a row, by the title of their column."""
    return {_title(measure): evaluation.numbers.get(measure.name) for measure in measures}


def column_config(measures: Iterable[Measure]) -> dict:
    """How a table writes these columns."""
    return {
        _title(measure): st.column_config.NumberColumn(
            format="percent" if measure.format.endswith("%") else f"%{measure.format}"
        )
        for measure in measures
    }


def _title(measure: Measure) -> str:
    return name_measure(translator(), "pages.column", measure.name)
