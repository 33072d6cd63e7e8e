"""A question to the class, beside a card: a code for the phones, the number of votes, then the votes."""

import posixpath
import re
from collections.abc import Sequence
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from pages.shared import downloads, ownership
from pages.shared.clients import page_client
from pages.shared.polls import PATH, Poll, polls
from pages.shared.settings import draw_code
from pages.shared.visitor import page_theme, show_failure, translator
from viz_core.records import Failure, Question
from viz_core.rendering.votes import votes_figure

EVERY = 2.0  # seconds between two looks at the number of votes
_CODE_SIDE = 280  # px: a phone reads it from the last row
_BESIDE = 420  # px: an address in large type (frame.css)
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
_MARKS = re.compile(r"\*\*|`|\$")


def ask_class(question: str, options: Sequence[str], key: str) -> bool:
    """A button that asks the class, then the code and the number of votes, then the votes: whether they are shown.

    May be called in the script of a page or in a fragment, which a click runs again.

    question, options: Markdown as in a lesson; without options a number is asked for. key: of the place, such as
    lesson and card: a visitor has one poll for each, in all windows.
    """
    say, owner = translator(), ownership.visitor()
    try:
        asked = Question(plain(question), tuple(map(plain, options)), say.language)
    except Failure as failure:
        show_failure(failure)
        return False
    poll = polls.of(owner, key)
    with st.container(key=f"vote_{key}"):
        if poll is None:
            _ask_button("ask", asked, owner, key)
        elif poll.is_open:
            _collect(poll)
        else:
            _show(poll)
            _ask_button("ask_again", asked, owner, key)
    return poll is not None and not poll.is_open


def is_asked(key: str) -> bool:
    """Whether this visitor has asked the class, in whichever window."""
    return polls.of(ownership.visitor(), key) is not None


def plain(markdown: str) -> str:
    """A text of a lesson without its marks, which a phone would show."""
    return _MARKS.sub("", _LINK.sub(r"\1", markdown)).strip()


def vote_address(code: str = "") -> str:
    """Where the phones vote, under the name by which this page was opened."""
    page = urlsplit(st.context.url or "")
    path = posixpath.join("/", st.get_option("server.baseUrlPath").strip("/"), PATH, code).rstrip("/")
    return urlunsplit((page.scheme, page.netloc, path, "", ""))


def _ask_button(name: str, asked: Question, owner: str, key: str) -> None:
    say = translator()
    st.button(
        say(f"votes.{name}"),
        key=f"ask_{key}",
        icon=":material/how_to_vote:",
        help=say(f"votes.{name}_help"),
        on_click=polls.open,
        args=(owner, page_client().address, key, asked),
    )


def _collect(poll: Poll) -> None:
    """How to vote, and how many have."""
    say = translator()
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        with st.container(width="content"):
            draw_code(vote_address(poll.code), say("votes.scan"), _CODE_SIDE)
        with st.container(key=f"poll_{poll.key}", width=_BESIDE):
            address = vote_address().partition("://")[2]
            st.markdown(f"{say('votes.open_page')}\n\n**{address}**\n\n{say('votes.type_code')}\n\n**{poll.code}**")
            _count(poll.owner, poll.key)
            st.button(
                say("votes.show"), key=f"show_{poll.key}", type="primary", on_click=_close, args=(poll.owner, poll.key)
            )


@st.fragment(run_every=EVERY)
def _count(owner: str, key: str) -> None:
    """Only the number, so that nobody follows the majority."""
    poll = polls.of(owner, key)
    if poll is None or not poll.is_open:
        st.rerun()  # it has ended, or its votes are shown in another window
    st.markdown(f"**{translator()('votes.count', count=poll.count)}**")


def _close(owner: str, key: str) -> None:
    if poll := polls.of(owner, key):
        poll.close()


def _show(poll: Poll) -> None:
    say, votes = translator(), poll.votes
    if not votes.given:
        st.markdown(say("votes.nobody"))
        return
    downloads.show(votes_figure(votes, say, page_theme()), f"votes_{poll.key}", alt=say("votes.title"))
