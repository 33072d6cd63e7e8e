"""The training page: the form, running and finished runs, their curves, attention over epochs, and saved models."""

from __future__ import annotations

import streamlit as st

from pages.shared import links, ownership, teacher
from pages.shared.visitor import translator
from pages.training import comparison, recipe_form, run_charts, run_controls, run_views, runs
from pages.training.estimates import show_estimate
from pages.training.replay import replay
from pages.training.two_models import two_models
from viz_core.jobs.runs import Run


def training() -> None:
    """The form, the runs, the selected runs in detail, and the saved models."""
    say = translator()
    st.title(say("pages.training_title"))
    st.caption(say("pages.training_note"))
    with st.container(border=True):
        _form()
    runs.show_failure()
    all_runs = runs.trainings()
    if all_runs:
        st.header(say("pages.training_runs"), anchor="runs")
        _runs(all_runs)
        run_controls.saved_models()
        comparison.tensorboard()
    else:
        st.info(say("pages.training_none"), icon=":material/model_training:")
        run_controls.saved_models()
        run_views.live_progress([], [])


def _form() -> None:
    """The form, the estimate of memory and time, and the buttons that start a training."""
    say = translator()
    settings = recipe_form.settings_form()
    possible = settings is not None and show_estimate(settings)
    with st.container(horizontal=True, gap="small"):
        # Not callbacks: those would receive the settings from before the last edit.
        start = st.button(
            say("pages.training_start"),
            key="start",
            type="primary",
            icon=":material/play_arrow:",
            disabled=not possible,
        )
        depths = st.button(
            say("pages.training_depths"),
            key="depths",
            icon=":material/layers:",
            disabled=not possible,
            help=say("pages.training_depths_help"),
        )
    if possible and (start or depths):
        runs.attempt(lambda: runs.select((runs.start if start else runs.start_depths)(settings)))


def _runs(all_runs: list[Run]) -> None:
    """The selected runs: progress, controls, curves, attention over epochs, one input through two of them."""
    say, names = translator(), {run.id: run.name for run in all_runs}
    selected = _pick_runs(all_runs)
    run_views.live_progress(all_runs, selected)
    for run in selected:
        run_controls.controls(run)
    teacher.others_switch(ownership.is_own(run) for run in all_runs)
    if not selected:
        return
    run_charts.curves(selected)
    if len(selected) > 1:
        st.header(say("pages.training_comparison"), anchor="compared")
        comparison.comparison_table(selected)
    st.header(say("pages.training_replay"), anchor="forming")
    st.caption(say("pages.training_replay_note"))
    replayed_run = (
        selected[0].id
        if len(selected) == 1
        else st.selectbox(
            say("pages.training_run"), [run.id for run in selected], key="replayed", format_func=names.get
        )
    )
    replay(next(run for run in selected if run.id == replayed_run))
    two_models(selected)


def _pick_runs(all_runs: list[Run]) -> list[Run]:
    """The selected runs: the session's, else the link's, else the newest."""
    say, by_id = translator(), {run.id: run for run in all_runs}
    if runs.SELECTED not in st.session_state:
        linked_ids = st.query_params.get(runs.SELECTED, "").split(" ")
        st.session_state[runs.SELECTED] = [id for id in linked_ids if id in by_id] or [all_runs[0].id]
    st.session_state[runs.SELECTED] = [id for id in st.session_state[runs.SELECTED] if id in by_id]
    st.multiselect(
        say("pages.training_selected"),
        list(by_id),
        key=runs.SELECTED,
        persist_state="session",
        format_func=lambda id: by_id[id].name,
        help=say("pages.training_selected_help"),
    )
    links.write({runs.SELECTED: " ".join(st.session_state[runs.SELECTED])}, {runs.SELECTED: ""})
    return [by_id[id] for id in st.session_state[runs.SELECTED]]
