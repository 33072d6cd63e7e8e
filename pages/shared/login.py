"""Streamlit's login (OpenID Connect), where `.streamlit/secrets.toml` configures it: whose runs are whose."""

from __future__ import annotations

import streamlit as st

from pages.shared.visitor import translator


def login_button() -> None:
    """A button to log in or out; nothing where no login is configured."""
    user, say = st.user.to_dict(), translator()
    if "is_logged_in" not in user:
        return
    if user["is_logged_in"]:
        name = str(user.get("name") or user.get("email") or "")
        st.button(say("pages.log_out"), key="log_out", icon=":material/logout:", help=name or None, on_click=st.logout)
    else:
        st.button(say("pages.log_in"), key="log_in", icon=":material/login:", on_click=st.login, args=(_provider(),))


def _provider() -> str | None:
    """The first named provider; None if the section itself names one."""
    auth = st.secrets["auth"]
    named = [name for name, value in auth.items() if hasattr(value, "items")]
    return None if "client_id" in auth or not named else named[0]
