"""What stands beside the title of every page: the link to share, the login; and what the document is told."""

from urllib.parse import quote, urlencode, urljoin, urlsplit

import streamlit as st

from pages.shared.own_tasks import addressed, is_closed
from pages.shared.visitor import translator
from viz_core.language import Translator
from viz_core.rendering.qr_code import qr_code
from viz_core.text.length import MAX_CHARACTERS

_SIDE = 240  # px of the code
_OWN_COMPUTER = ("localhost", "127.0.0.1", "::1")

_declaration = st.components.v2.component(
    "page_language",
    html="<div></div>",
    # A browser cuts what is pasted after `maxLength`, and the page says so; Streamlit drops it without a word.
    js="""
    const boxes = ".stTextArea textarea, .stTextInput input";
    let most;
    const limit = ({ target }) => { if (target.matches(boxes)) target.maxLength = most; };
    export default ({ data }) => {
      document.documentElement.lang = data.language;
      const skip = document.querySelector("[data-testid=stSkipToContent]");
      if (skip) skip.textContent = data.skip;
      most = data.most;
      document.addEventListener("focusin", limit);
    };
    """,
)


@st.fragment
def share() -> None:
    """A popover; opening it reruns this fragment, so that the link is that of the present selection."""
    say = translator()
    popover = st.popover(
        say("pages.share"), type="tertiary", icon=":material/qr_code_2:", key="share", on_change="rerun"
    )
    if not popover.open:
        return
    with popover:
        st.caption(say("pages.share_note"))
        draw_link(current_link(), say("pages.share_closed") if any(map(is_closed, addressed())) else "")


def draw_link(link: str, closed: str = "") -> None:
    """A link to copy, and its code. closed: why it opens for nobody else, in place of the code."""
    st.code(link, language=None, wrap_lines=True)
    if closed:
        st.caption(f":material/lock: {closed}")
    else:
        draw_code(link, translator()("pages.share_code"), _SIDE)


def draw_code(link: str, title: str, side: int) -> None:
    """The QR code of a link, or why there is none. side: px."""
    say = translator()
    if urlsplit(link).hostname in _OWN_COMPUTER:
        st.caption(say("pages.share_own_computer"))
    elif code := qr_code(link, title, side):
        st.image(code, width=side)
    else:
        st.caption(say("pages.share_too_long"))


def page_link(url: str) -> str:
    """The address of a page without anything that it shows. url: the last part of it."""
    return urljoin((st.context.url or "").rstrip("/"), url)


def current_link() -> str:
    """The address of the page with everything it shows."""
    parameters = urlencode(st.query_params.to_dict(), quote_via=quote)
    return f"{st.context.url or ''}?{parameters}"


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


def declare_language(language: str) -> None:
    """Sets the `lang` of the document for screen readers: Streamlit's says English. Call once in each run.

    Also the words of Streamlit's first link, which it has in English alone, and how much can be pasted into its text
    boxes.
    """
    skip = Translator(language)("pages.skip")
    _declaration(key="page_language", data={"language": language, "skip": skip, "most": MAX_CHARACTERS})
