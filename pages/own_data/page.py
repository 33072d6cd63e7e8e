"""The page of a person's own data: the tasks that were made of it, and a table that becomes another one."""

import streamlit as st

from pages.own_data import imported, table, tasks, understood
from pages.own_data.settings import settings_form
from pages.own_data.starting import start
from pages.shared import navigation
from pages.shared.visitor import act, show_failure, translator
from viz_core.records import Failure

URL = "your-data"


def own_data() -> None:
    """The tasks of this visitor, the box for a table, what was understood of it, and the button that trains on it."""
    say = translator()
    st.title(say("own_data.title"))
    navigation.beside()
    st.caption(say("own_data.note"))
    tasks.section()
    _new_task()


def _new_task() -> None:
    say = translator()
    st.header(say("own_data.upload"), anchor="upload")
    try:
        upload = table.pick()
    except Failure as failure:  # an unusable limit
        show_failure(failure)
        return
    if upload is None:
        imported.section()
        return
    result = understood.section(upload)
    if result is None:
        return
    settings = settings_form(upload, result)
    if st.button(say("own_data.train"), key="own_train", type="primary", icon=":material/play_arrow:"):
        if isinstance(settings, Failure):
            show_failure(settings)
        else:
            act(lambda: start(result, settings))
    st.caption(say("own_data.train_note"))
