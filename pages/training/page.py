"""The training page: the form, running and finished runs, their curves, attention over epochs, and saved models."""

import streamlit as st

from pages.shared import links, navigation, ownership, teacher
from pages.shared.visitor import translator
from pages.training import (
    comparison,
    copying,
    recipe_form,
    recording,
    run_charts,
    run_controls,
    run_search,
    run_views,
    runs,
)
from pages.training.estimates import show_estimate
from pages.training.replay import watch
from pages.training.two_models import two_models
from viz_core.jobs.runs import Run

# In the session: whether the form is unfolded, whether to fold it, whether there were runs; also in the link,
# whether the recorded run is shown.
_FORM, _FOLD, _ANY, _RECORDED = "recipe", "fold_recipe", "any_runs", "recorded"


def training() -> None:
    """The form, the runs, the selected runs in detail, and the saved models."""
    say, state = translator(), st.session_state
    st.title(say("pages.training_title"))
    beside = navigation.beside()
    all_runs = runs.trainings()
    if not all_runs:
        st.caption(say("pages.training_note"))
    links.restore(_RECORDED, False, links.on_or_off)
    if all_runs:
        with beside:
            label = say("pages.training_show_recorded")
            links.link(st.toggle, _RECORDED, label, default=False, read=links.on_or_off, width="content")
    shows_recording = state[_RECORDED] if all_runs else True
    state.setdefault(_FORM, not (all_runs or state[_RECORDED]))  # what a run has reached is on the first screen
    if state.get(_ANY) and not all_runs:  # the last one was deleted
        state[_FORM] = True
    state[_ANY] = bool(all_runs)
    _form()
    runs.show_failure()
    if not shows_recording:
        _runs(all_runs)
        run_controls.saved_models()
        comparison.tensorboard()
    else:
        if not all_runs:
            st.info(say("pages.training_none"), icon=":material/model_training:")
        recording.show()
        run_controls.saved_models()
        run_views.live_progress([], [])


@st.fragment
def _form() -> None:
    """The form, the estimate of memory and time, and the buttons that start a training; folded once one has started."""
    say, state = translator(), st.session_state
    if state.pop(_FOLD, False):
        state[_FORM] = False
    with st.expander(say("pages.training_recipe"), icon=":material/tune:", key=_FORM, on_change="rerun"):
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
                say("pages.training_depths", layers=runs.depths(settings)),
                key="depths",
                icon=":material/layers:",
                disabled=not possible or "layers" not in settings.overrides,
                help=say("pages.training_depths_help"),
            )
    if possible and (start or depths):
        runs.attempt(lambda: runs.select((runs.start if start else runs.start_depths)(settings)))
        state[_FOLD] = not runs.has_failed()
        st.rerun()


def _runs(all_runs: list[Run]) -> None:
    """The choice of runs if there are several, their state, loss, accuracy and attention; the rest is under “More”."""
    say = translator()
    first_screen = st.container()
    more = st.expander(say("pages.training_more_views"), icon=":material/unfold_more:", key="more_views")
    with more:
        found = run_search.find_runs(all_runs)[: run_search.SHOWN]
    with first_screen if len(all_runs) > 1 else more:
        selected = _pick_runs(all_runs, found)
    shown = ()
    with first_screen:
        run_views.live_progress(all_runs, selected)
        with st.container():  # what follows keeps its place, and the browser its slider, when a run ends
            for run in selected:
                run_controls.controls(run)
        if selected and all(run.status.state == "queued" for run in selected):
            recording.show(plays=True)
        elif selected:
            replayed = _replayed_run(selected)
            above = st.container()
            watch(selected, replayed)
            with above if copying.is_aim(replayed) else st.container():
                shown = (copying.REPEATED,) if copying.show(selected, replayed) else ()
    with more:
        run_views.runs_table(found)
        teacher.others_switch(map(ownership.is_own, {run.request.owner for run in all_runs}))
        run_charts.other_curves(selected, shown)
        if len(selected) > 1:
            st.header(say("pages.training_comparison"), anchor="compared")
            comparison.comparison_table(selected)
        two_models(selected)


def _replayed_run(selected: list[Run]) -> Run:
    """The run whose attention is shown, with a picker if several are selected."""
    if len(selected) == 1:
        return selected[0]
    by_id = {run.id: run for run in selected}
    return by_id[
        st.selectbox(
            translator()("pages.training_run"), list(by_id), key="replayed", format_func=lambda id: by_id[id].name
        )
    ]


def _pick_runs(all_runs: list[Run], found: list[Run]) -> list[Run]:
    """The selected runs, at first the newest; others are picked from those that were found."""
    say, by_id = translator(), {run.id: run for run in all_runs}

    def read(ids: str) -> list[str] | None:
        known = [id for id in ids.split() if id in by_id]
        return known if known or not ids else None

    default = [all_runs[0].id]
    runs.hold_selection()
    links.restore(runs.SELECTED, default, read, " ".join)
    selected = links.link(
        st.multiselect,
        runs.SELECTED,
        say("pages.training_selected"),
        list(dict.fromkeys([*(run.id for run in found), *st.session_state[runs.SELECTED]])),
        default=default,
        read=read,
        form=" ".join,
        always=True,
        format_func=lambda id: by_id[id].name,
    )
    return [by_id[id] for id in selected]
