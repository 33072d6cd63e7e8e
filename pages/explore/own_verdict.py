"""Below the explorer of a task of one's own: whether attention pays off on its data."""

import streamlit as st

from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.tasks.own import is_own_name
from viz_core.training import door


def own_verdict(task: str) -> None:
    """The sentence of the verdict; nothing for other tasks, and before the models have been tested."""
    found = door.verdict(task) if is_own_name(task) else None
    if found and found.message:
        st.caption(escape_markdown(translator()(found.message)))
