"""The settings of a task of one's own: name, tokens, length, whether the rows stay, behavioural tests."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages.own_data.colours import pick_colours
from pages.own_data.table import Upload
from pages.shared.visitor import translator
from viz_core.datasets.own import Understanding
from viz_core.datasets.own.understanding import LONGEST, SHORTEST, TOKENS, Tokens
from viz_core.records import Failure
from viz_core.tasks.own.definition import MOST_TESTS, MOST_TITLE, plain_title

_HEIGHT = 110  # px


@dataclass(frozen=True)
class OwnSettings:
    """What a person sets. The fields are those of a `Definition`."""

    title: str
    tokens: Tokens
    max_tokens: int
    keeps_rows: bool
    tests: tuple[tuple[str, ...], ...]
    colours: tuple[str, ...]


def settings_form(upload: Upload, result: Understanding) -> OwnSettings | Failure:
    """Draws the form; the settings, or why they are not possible."""
    say, key = translator(), upload.number
    st.subheader(say("own_data.settings"), anchor="settings")
    name_column, tokens_column, length_column = st.columns([3, 3, 2], gap="medium")
    with name_column:
        title = st.text_input(
            say("own_data.name"),
            plain_title(Path(upload.name).stem) or say("own_data.untitled"),
            key=f"own_title_{key}",
            max_chars=MOST_TITLE,
            help=say("own_data.name_help"),
        )
    with tokens_column:
        tokens = st.selectbox(
            say("own_data.tokens"),
            TOKENS,
            index=TOKENS.index(result.tokens),
            key=f"own_tokens_{key}_{result.tokens}",
            format_func=lambda name: say(f"own_data.tokens_{name}"),
            help=say("own_data.tokens_help"),
        )
    with length_column:
        suited = result.max_tokens(tokens)
        max_tokens = st.number_input(
            say("own_data.length"),
            SHORTEST,
            LONGEST,
            suited,
            key=f"own_length_{key}_{tokens}_{suited}",
            help=say("own_data.length_help"),
        )
    keeps_rows = st.toggle(say("own_data.keep"), False, key=f"own_keep_{key}", help=say("own_data.keep_help"))
    if not keeps_rows:
        st.caption(say("own_data.not_kept"))
    colours = pick_colours(result.labels, key)
    with st.expander(say("own_data.tests"), icon=":material/rule:"):
        form = say("own_data.tests_form_pair" if result.pair else "own_data.tests_form")
        typed = st.text_area(
            say("own_data.tests_box"),
            key=f"own_tests_{key}",
            height=_HEIGHT,
            placeholder=form,
            help=say("own_data.tests_help", form=form),
        )
    try:
        tests = _read_tests(typed or "", result)
        if not title or plain_title(title) != " ".join(title.split()):
            raise Failure("own_data.bad_title", most=MOST_TITLE)
    except Failure as failure:
        return failure
    return OwnSettings(title, tokens, int(max_tokens), keeps_rows, tests, colours)


def _read_tests(typed: str, result: Understanding) -> tuple[tuple[str, ...], ...]:
    """The tests, one in a line, their parts separated by `|`. Raises Failure, with the line."""
    tests = []
    for number, line in enumerate(typed.splitlines(), start=1):
        if not line.strip():
            continue
        parts = tuple(part.strip() for part in line.split("|"))
        if len(parts) != 2 + result.pair or not all(parts):
            raise Failure("own_data.bad_test_pair" if result.pair else "own_data.bad_test", line=number)
        if parts[-1] not in result.labels:
            raise Failure("own_data.bad_test_label", line=number, label=parts[-1], known=list(result.labels))
        tests.append(parts)
    if len(tests) > MOST_TESTS:
        raise Failure("own_data.many_tests", count=len(tests), most=MOST_TESTS)
    return tuple(tests)
