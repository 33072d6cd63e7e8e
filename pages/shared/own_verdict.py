"""Whether attention pays off on a task of one's own: its encoder beside models without attention, on the same test."""

import streamlit as st

from pages.shared.visitor import translator
from pages.shared.wording import escape_markdown
from viz_core.tasks.own import is_own_name
from viz_core.training import door
from viz_core.training.door import Verdict


def caption(task: str) -> None:
    """The sentence alone, in small; nothing for other tasks, and before the models have been tested."""
    found = door.verdict(task) if is_own_name(task) else None
    if found and found.message:
        st.caption(escape_markdown(translator()(found.message)))


def show(task: str) -> bool:
    """The sentence and the table; False, and nothing, while no model has been tested."""
    found = door.verdict(task)
    if found is None:
        return False
    if found.message:
        st.markdown(f"**{escape_markdown(translator()(found.message))}**")
    _table(found)
    return True


def show_or_say_why(task: str) -> None:
    """The sentence and the table, or why there are none."""
    if not show(task):
        st.caption(translator()("own.no_verdict"))


def _table(found: Verdict) -> None:
    say = translator()
    model, accuracy, interval = (say(f"own_data.verdict_{name}") for name in ("model", "accuracy", "interval"))
    rows = [{model: say("own_data.model_majority"), accuracy: f"{found.majority:.1%}", interval: "–"}]
    for one in reversed(found.models):
        low, high = one.interval
        between = say("evaluation.between", low=low, high=high)
        rows.append({model: say(f"own_data.model_{one.kind}"), accuracy: f"{one.accuracy:.1%}", interval: between})
    st.table(rows, hide_index=True, border="horizontal")
    st.caption(say("own_data.verdict_note", rows=found.rows))
