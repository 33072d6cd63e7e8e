"""The table that compares several runs, and the link to TensorBoard."""

import os
from collections.abc import Mapping

import streamlit as st
from tensorboard import manager

from pages.shared.models import best_checkpoint
from pages.shared.teacher import is_alone
from pages.shared.visitor import translator
from pages.shared.wording import duration
from pages.training import runs
from pages.training.measures import column_config, columns, measures_of
from pages.training.recipe_presets import MODEL, RECIPE
from viz_core import checkpoints
from viz_core.jobs import runs as jobs
from viz_core.jobs.processes import identity
from viz_core.jobs.runs import Run
from viz_core.records import Evaluation, Failure
from viz_core.records.figures import Measure

_BASELINES = {"accuracy": Measure("majority_accuracy", format=".1%")}  # which column stands beside a measure


def comparison_table(selected: list[Run]) -> None:
    """One row per run: the settings in which the runs differ, and their best figures."""
    say = translator()
    measures = [
        column for measure in measures_of(selected) for column in (measure, _BASELINES.get(measure.name)) if column
    ]
    settings_by_run = [_form_settings(run) for run in selected]
    names = [
        name
        for name in dict.fromkeys(name for settings in settings_by_run for name in settings)
        if len({str(settings.get(name)) for settings in settings_by_run}) > 1
    ]
    table = [
        {
            say("pages.training_column_name"): run.name,
            **{say(f"pages.training_{name}"): settings.get(name) for name in names},
            say("pages.column_parameters"): _parameters(run),
            **columns(Evaluation.from_dict(run.status.best), measures),
            say("pages.training_column_time"): duration(elapsed, say)
            if (elapsed := runs.seconds(run)) is not None
            else "–",
        }
        for run, settings in zip(selected, settings_by_run, strict=True)
    ]
    st.dataframe(
        table,
        hide_index=True,
        placeholder="–",
        key="runs_compared",
        column_config={
            say("pages.column_parameters"): st.column_config.NumberColumn(format="compact"),
            **column_config(measures),
        },
    )


def _form_settings(run: Run) -> dict:
    """Those settings of a run that the form has a field for, by name."""
    settings = run.request.settings
    parts = [(settings, ("task", "preset", "data")), (settings.get("encoder"), MODEL), (settings.get("recipe"), RECIPE)]
    return {name: part.get(name) for part, names in parts if isinstance(part, Mapping) for name in names}


def _parameters(run: Run) -> int | None:
    """The number of parameters, once the run has a checkpoint."""
    folder = best_checkpoint(run)
    try:
        return checkpoints.read_info(folder).metrics.parameters if folder else None
    except Failure:
        return None


def tensorboard() -> None:
    """A link to a TensorBoard that shows these runs, where somebody uses their own machine: it listens to no other."""
    if not is_alone():
        return
    runs_folder = os.path.realpath(jobs.folder())
    for info in manager.get_all():
        log_folder = os.path.realpath(info.logdir)
        if identity(info.pid) and (runs_folder == log_folder or runs_folder.startswith(log_folder + os.sep)):
            address = f"http://localhost:{info.port}{info.path_prefix or ''}/"
            st.link_button("TensorBoard", address, icon=":material/monitoring:")
            return
