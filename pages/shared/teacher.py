"""Who may stop and delete the runs of others: a person alone on a machine, or a teacher with the key.

Alone is what `make run` declares. The address that the server is bound to says nothing: behind a proxy it is localhost.
"""

import hashlib
import logging
import math
import os
import secrets
from collections.abc import Iterable

import streamlit as st

from pages.shared.clients import page_client, shared_rate
from pages.shared.visitor import translator
from viz_core.variables import ALONE, TEACHER_KEY

SHORTEST = 12  # characters of a key; with fewer, it could be guessed
LONGEST = 200
_TYPED = "teacher_key"  # in the session: what was typed
_COMPARED = "teacher_key_compared"  # in the session: what was compared last, and whether it was the key
# Guesses, also right ones: of an address five, then one in ten seconds; of all addresses fifty, then one a second.
_of_address, _in_all = shared_rate(5, 10.0), shared_rate(50, 1.0)
_log = logging.getLogger(__name__)


def is_alone() -> bool:
    """Whether whoever started the server declared that nobody else reaches it."""
    return os.environ.get(ALONE) == "1"


def teacher_key() -> str | None:
    """The key that the environment sets; None if there is none, or it is too short to be one."""
    key = os.environ.get(TEACHER_KEY, "")
    return key if len(key) >= SHORTEST else None


def may_manage_all() -> bool:
    """Whether this visitor may have the switch for the runs of others."""
    return is_alone() or _guess() == 0


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
        st.caption(say("pages.teacher_note"))
        st.text_input(
            say("pages.teacher_key"),
            key=_TYPED,
            type="password",
            autocomplete="off",
            max_chars=LONGEST,
            persist_state="session",
            help=say("pages.teacher_key_help", variable=TEACHER_KEY),
        )
        if st.session_state.get(_TYPED):
            match _guess():
                case 0:
                    st.info(say("pages.teacher_key_right"))
                case None:
                    st.error(say("pages.teacher_key_wrong"))
                case seconds:
                    st.error(say("pages.teacher_key_later", seconds=math.ceil(seconds)))


def _guess() -> float | None:
    """0 if what was typed is the key, None if it is not, or the seconds until it may be compared: once in a session."""
    typed = st.session_state.get(_TYPED)
    if not typed or teacher_key() is None:
        return None
    compared, is_key = st.session_state.get(_COMPARED, (None, False))
    if compared != typed:
        address = page_client().address
        if seconds := _of_address.take(address) or _in_all.take(()):
            return seconds
        is_key = _is_key(typed)
        st.session_state[_COMPARED] = typed, is_key
        if not is_key:
            _log.warning("A wrong teacher's key from %s", address)
    return 0 if is_key else None


def _is_key(typed: object) -> bool:
    """In constant time, whatever the lengths."""
    key = teacher_key()
    return key is not None and isinstance(typed, str) and secrets.compare_digest(_digest(typed), _digest(key))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
