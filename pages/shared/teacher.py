"""Who may stop and delete the runs of others: a person alone on a machine, or a teacher with the key.

Alone is what `make run` declares. The address that the server is bound to says nothing: behind a proxy it is localhost.
"""

import hashlib
import os
import secrets
import time
from collections.abc import Iterable

import streamlit as st

from pages.shared.visitor import translator
from viz_core.variables import ALONE, TEACHER_KEY

SHORTEST = 12  # characters of a key; with fewer, it could be guessed
_WAIT = 1.0  # seconds after a wrong key
_TYPED = "teacher_key"  # in the session: what was typed, which is compared whenever it matters


def is_alone() -> bool:
    """Whether whoever started the server declared that nobody else reaches it."""
    return os.environ.get(ALONE) == "1"


def teacher_key() -> str | None:
    """The key that the environment sets; None if there is none, or it is too short to be one."""
    key = os.environ.get(TEACHER_KEY, "")
    return key if len(key) >= SHORTEST else None


def may_manage_all() -> bool:
    """Whether this visitor may have the switch for the runs of others."""
    return is_alone() or _is_key(st.session_state.get(_TYPED))


def others_switch(owned: Iterable[bool]) -> None:
    """The switch for the runs of others, or where it needs one the box for the key; drawn only where there are any.

    owned: of each run, whether it is this visitor's.
    """
    say = translator()
    if all(owned) or not (is_alone() or teacher_key()):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="manage_all"):
        key_box()
        if may_manage_all() and st.toggle(
            say("pages.training_others"), key="others", persist_state="session", help=say("pages.training_others_help")
        ):
            st.caption(f":material/warning: {say('pages.training_others_warning')}", width="content")


def key_box() -> None:
    """The box for the key, where there is one and nobody is alone."""
    if is_alone() or not teacher_key():
        return
    say = translator()
    with st.popover(say("pages.teacher"), icon=":material/key:", key="teacher"):
        st.text_input(
            say("pages.teacher_key"),
            key=_TYPED,
            type="password",
            autocomplete="off",
            persist_state="session",
            on_change=_wait_if_wrong,
            help=say("pages.teacher_key_help", variable=TEACHER_KEY),
        )
        if typed := st.session_state.get(_TYPED):
            (st.info if _is_key(typed) else st.error)(
                say("pages.teacher_key_right" if _is_key(typed) else "pages.teacher_key_wrong")
            )


def _wait_if_wrong() -> None:
    if not _is_key(st.session_state.get(_TYPED)):
        time.sleep(_WAIT)


def _is_key(typed: object) -> bool:
    """In constant time, whatever the lengths."""
    key = teacher_key()
    return key is not None and isinstance(typed, str) and secrets.compare_digest(_digest(typed), _digest(key))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
