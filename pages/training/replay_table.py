"""A table of what a model wrote at each evaluation of a run, with the measure that chooses the best one."""

from collections.abc import Callable, Mapping
from contextlib import suppress

import streamlit as st

from pages.shared.visitor import translator
from pages.training.measures import column_config, columns, measures_of
from viz_core.jobs.runs import Run
from viz_core.records import Evaluation, Failure


def texts_table(
    run: Run, title: str, labels: Mapping[int, str], rows: Mapping[int, Evaluation], text_of: Callable[[int], str]
) -> None:
    """Draws the table, of the evaluations that can be read.

    title: of the column of texts. labels: of all evaluations with a snapshot. rows: the evaluations measured. text_of:
    may raise Failure.
    """
    measures, table = [measure for measure in measures_of([run]) if measure.selects][:1], []
    for evaluation, label in labels.items():
        with suppress(Failure):
            text = text_of(evaluation)
            figures = columns(rows.get(evaluation, Evaluation()), measures)
            table.append({translator()("pages.training_evaluation"): label, **figures, title: text})
    st.dataframe(table, hide_index=True, placeholder="–", key="replay_texts", column_config=column_config(measures))
