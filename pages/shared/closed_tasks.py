"""Which tasks of people's own the open pages of a browser may change, for routes, which have no session.

A route knows a visitor by the cookie alone. Whom a login or the teacher's switch gives the rights of an owner, only
their pages know. Each notes it whenever it is drawn, and it is forgotten with the session.
"""

from collections.abc import Iterable
from threading import Lock
from weakref import WeakSet

import streamlit as st

from pages.shared.clients import page_client
from viz_core.analysis.turns import Client

_NOTED = "closed_tasks"  # in the session


class _Noted:
    """What one session may change. visitor: the token of its browser."""

    def __init__(self, visitor: str | None) -> None:
        self.visitor, self.tasks = visitor, frozenset[str]()


_sessions, _lock = WeakSet[_Noted](), Lock()


def note(tasks: Iterable[str]) -> None:
    """Notes for the session of this page which tasks it may change."""
    noted = st.session_state.get(_NOTED)
    if noted is None:
        noted = st.session_state[_NOTED] = _Noted(page_client().visitor)
        with _lock:
            _sessions.add(noted)
    noted.tasks = frozenset(tasks)


def opens_on_a_page(task: str, client: Client) -> bool:
    """Whether a page of this browser may change the task. Browsers without a cookie cannot be told apart."""
    with _lock:
        sessions = list(_sessions)
    return client.visitor is not None and any(
        noted.visitor == client.visitor and task in noted.tasks for noted in sessions
    )
