"""Who owns a run: the login, or the browser that started it, identified by a cookie that the server sets with the page.

`visitor()` is a hash: nothing else of the cookie is stored.
"""

import secrets
from collections.abc import Callable

import streamlit as st

from pages.shared.teacher import may_manage_all
from pages.shared.visitor_cookie import visitor_token
from viz_core.jobs import runs
from viz_core.jobs.request import owner_hash
from viz_core.jobs.runs import Run
from viz_core.records import Failure


def visitor() -> str:
    """The owner that this visitor is: of the login, else of the browser, or of the tab where cookies are blocked."""
    user = st.user.to_dict()
    if user.get("is_logged_in") and (name := user.get("sub") or user.get("email")):
        return owner_hash(f"login {user.get('iss')} {name}")
    return owner_hash(
        visitor_token(st.context.cookies) or st.session_state.setdefault("visitor", secrets.token_hex(16))
    )


def is_own(run: Run) -> bool:
    """Whether a run is this visitor's."""
    return run.request.owner == visitor()


def may_change(owner: str) -> bool:
    """Whether this visitor may stop or delete what belongs to `owner`."""
    return owner == visitor() or (may_manage_all() and bool(st.session_state.get("others")))


def check_owner(owner: str) -> None:
    """Raises Failure if this visitor may not change what belongs to `owner`, whatever the page has offered."""
    if not may_change(owner):
        raise Failure("pages.not_yours")


def stop(id: str) -> None:
    """Stops a run. Raises Failure, also if it belongs to somebody else; so do the next ones."""
    _change_run(id, runs.stop)


def resume(id: str) -> None:
    _change_run(id, runs.resume)


def delete(id: str) -> None:
    _change_run(id, runs.delete)


def _change_run(id: str, action: Callable[[str], object]) -> None:
    check_owner(runs.read(id).request.owner)
    action(id)
