"""A run that was recorded on the real reviews: something to watch before the first run, and while one waits.

How it was made: docs/training.md.
"""

from dataclasses import replace
from pathlib import Path

import streamlit as st

from pages.shared.visitor import translator
from pages.shared.wording import duration
from pages.training import playing
from pages.training.replay import watch
from viz_core.jobs.run_folder import read_run

FOLDER = Path(__file__).with_name("recorded")  # in no list of runs: nobody owns, stops or deletes it


def show(plays: bool = False) -> None:
    """The recording, with curves and attention as of any run. plays: by itself, once in a session."""
    run, say = read_run(FOLDER), translator()
    if run is None:  # left out of an installation
        return
    run = replace(run, request=replace(run.request, name=say("pages.training_recorded")))
    rows, took = run.request.settings["recipe"]["train_rows"], duration(run.status.seconds, say)
    st.header(say("pages.training_recorded"), anchor="recorded")
    st.caption(say("pages.training_recorded_note", rows=rows, duration=took))
    if plays:
        playing.play_once(run)
    watch([run], run)
