"""The link of a task, which its owner turns on and off."""

import streamlit as st

from pages.shared import ownership
from pages.shared.settings import draw_link, page_link
from pages.shared.visitor import show_failure, translator
from pages.shared.wording import row_label
from viz_core.records import Failure
from viz_core.tasks import own
from viz_core.tasks.own import Definition


def share(task: Definition) -> None:
    """A popover with the address of the task's page, and whether it opens for others, too."""
    say, key = translator(), f"own_shared_{task.name}"
    label = row_label(say("own_data.link"), task.title)
    with st.popover(label, icon=":material/link:" if task.shared else ":material/lock:", key=f"own_link_{task.name}"):
        st.session_state[key] = task.shared  # also after another page has changed it
        st.toggle(say("own_data.link_shared"), key=key, on_change=_change, args=(task, key))
        if task.shared:
            st.caption(say("own_data.link_note"))
        draw_link(page_link(task.name), "" if task.shared else say("own_data.link_closed"))


def _change(task: Definition, key: str) -> None:
    """Shares a task, or ends that, if it belongs to this visitor."""
    try:
        ownership.check_owner(task.owner)
        own.change(task.name, shared=bool(st.session_state[key]))
    except Failure as failure:
        show_failure(failure)
