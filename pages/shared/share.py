"""The link to what is shown, to copy, and as a QR code for phones."""

from __future__ import annotations

from urllib.parse import quote, urlencode, urlsplit

import streamlit as st

from pages.shared.visitor import translator
from viz_core.rendering.qr_code import qr_code

_SIDE = 240  # px of the code
_OWN_COMPUTER = ("localhost", "127.0.0.1", "::1")


@st.fragment
def share() -> None:
    """A popover; opening it reruns this fragment, so that the link is that of the present selection."""
    say = translator()
    popover = st.popover(
        say("pages.share"), type="tertiary", icon=":material/qr_code_2:", key="share", on_change="rerun"
    )
    if not popover.open:
        return
    link = current_link()
    with popover:
        st.caption(say("pages.share_note"))
        st.code(link, language=None, wrap_lines=True)
        if urlsplit(link).hostname in _OWN_COMPUTER:
            st.caption(say("pages.share_own_computer"))
        elif code := qr_code(link, say("pages.share_code"), _SIDE):
            st.image(code, width=_SIDE)
        else:
            st.caption(say("pages.share_too_long"))


def current_link() -> str:
    """The address of the page with everything it shows."""
    parameters = urlencode(st.query_params.to_dict(), quote_via=quote)
    return f"{st.context.url or ''}?{parameters}"
