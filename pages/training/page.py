"""Train an encoder, watch it learn, compare runs, and see attention form. The training itself is a job of its own."""

from __future__ import annotations

import streamlit as st

from pages.shared import links, ownership
from pages.shared.visitor import translator
from pages.training import comparison, recipe_form, run_charts, run_controls, run_views, runs
from pages.training.estimates import show_estimate
from pages.training.replay import replay
from pages.training.side_by_side import side_by_side
from viz_core.jobs.runs import Run


def training() -> None:
    """The form, the runs, what is known of those that are looked at, and the models that were kept."""
    say = translator()
    st.title(say("pages.training_title"))
    st.caption(say("pages.training_note"))
    with st.container(border=True):
        _form()
    runs.show_failure()
    listed = runs.trainings()
    if listed:
        st.subheader(say("pages.training_runs"), anchor="runs")
        _runs(listed)
        run_controls.kept_models()
        comparison.tensorboard()
    else:
        st.info(say("pages.training_none"), icon=":material/model_training:")
        run_controls.kept_models()
        run_views.live_progress([], [])


def _form() -> None:
    """What is asked for, what it will take, and the buttons that start it."""
    say = translator()
    settings = recipe_form.asked()
    device = recipe_form.device()
    possible = settings is not None and show_estimate(settings, device)
    with st.container(horizontal=True, gap="small"):
        # Not as callbacks: those would be given what the form said before the last of it was typed.
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
        runs.attempt(lambda: runs.show((runs.start if start else runs.start_depths)(settings, device)))


def _runs(listed: list[Run]) -> None:
    """The runs that are looked at: progress, controls, curves, attention, one input through two of them."""
    say, names = translator(), {run.id: run.name for run in listed}
    selected = _selected(listed)
    run_views.live_progress(listed, selected)
    for run in selected:
        run_controls.controls(run)
    ownership.others_switch(listed)
    if not selected:
        return
    run_charts.curves(selected)
    if len(selected) > 1:
        st.subheader(say("pages.training_comparison"), anchor="compared")
        comparison.comparison(selected)
    st.subheader(say("pages.training_replay"), anchor="forming")
    st.caption(say("pages.training_replay_note"))
    replayed = (
        selected[0].id
        if len(selected) == 1
        else st.selectbox(
            say("pages.training_run"), [run.id for run in selected], key="replayed", format_func=names.get
        )
    )
    replay(next(run for run in selected if run.id == replayed))
    side_by_side(selected)


def _selected(listed: list[Run]) -> list[Run]:
    """The runs that are looked at: the session's, else the link's, else the newest."""
    say, by_id = translator(), {run.id: run for run in listed}
    if runs.SHOWN not in st.session_state:
        link_parameters = st.query_params.get(runs.SHOWN, "").split(" ")
        st.session_state[runs.SHOWN] = [id for id in link_parameters if id in by_id] or [listed[0].id]
    st.session_state[runs.SHOWN] = [id for id in st.session_state[runs.SHOWN] if id in by_id]
    st.multiselect(
        say("pages.training_selected"),
        list(by_id),
        key=runs.SHOWN,
        persist_state="session",
        format_func=lambda id: by_id[id].name,
        help=say("pages.training_selected_help"),
    )
    links.write({runs.SHOWN: " ".join(st.session_state[runs.SHOWN])}, {runs.SHOWN: ""})
    return [by_id[id] for id in st.session_state[runs.SHOWN]]
