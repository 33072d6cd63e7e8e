"""Train an encoder, watch it learn, compare runs, and see attention form. The training itself is a job of its own."""

import streamlit as st

from pages.shared import comparing, links, ownership, recipe_form, run_charts, run_controls, run_views, runs
from pages.shared.estimates import estimated
from pages.shared.replay import replay
from pages.shared.side_by_side import side_by_side
from pages.shared.visitor import translator

say = translator()
st.title(say("pages.training_title"))
st.caption(say("pages.training_note"))

with st.container(border=True):
    asked = recipe_form.asked()
    device = recipe_form.device()
    possible = asked is not None and estimated(asked, device)
    with st.container(horizontal=True, gap="small"):
        # Not as callbacks: those would be given what the form said before the last of it was typed.
        one = st.button(say("pages.training_start"), key="start", type="primary", icon=":material/play_arrow:",
                        disabled=not possible)
        several = st.button(say("pages.training_depths"), key="depths", icon=":material/layers:", disabled=not possible,
                            help=say("pages.training_depths_help"))
if possible and (one or several):
    runs.attempt(lambda: runs.show((runs.start if one else runs.start_depths)(asked, device)))
runs.say_failure()

found = runs.trainings()
if found:
    st.subheader(say("pages.training_runs"), anchor="runs")
    by_id, names = {run.id: run for run in found}, {run.id: run.name for run in found}
    if runs.SHOWN not in st.session_state:
        named = st.query_params.get(runs.SHOWN, "").split(" ")
        st.session_state[runs.SHOWN] = [one for one in named if one in by_id] or [found[0].id]
    st.session_state[runs.SHOWN] = [one for one in st.session_state[runs.SHOWN] if one in by_id]
    st.multiselect(say("pages.training_shown"), list(by_id), key=runs.SHOWN, persist_state="session",
                   format_func=names.get, help=say("pages.training_shown_help"))
    links.write({runs.SHOWN: " ".join(st.session_state[runs.SHOWN])}, {runs.SHOWN: ""})
    chosen = [by_id[one] for one in st.session_state[runs.SHOWN]]
    run_views.pulse(found, chosen)
    for run in chosen:
        run_controls.controls(run)
    ownership.others_switch(found)
    if chosen:
        run_charts.curves(chosen)
        if len(chosen) > 1:
            st.subheader(say("pages.training_compared"), anchor="compared")
            comparing.comparison(chosen)
        st.subheader(say("pages.training_forming"), anchor="forming")
        st.caption(say("pages.training_forming_note"))
        looked = chosen[0].id if len(chosen) == 1 else st.selectbox(
            say("pages.training_which"), [run.id for run in chosen], key="replayed", format_func=names.get)
        replay(by_id[looked])
        side_by_side(chosen)
    run_controls.kept_models()
    comparing.tensorboard()
else:
    st.info(say("pages.training_none"), icon=":material/model_training:")
    run_controls.kept_models()
    run_views.pulse([], [])
