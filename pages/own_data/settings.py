"""The settings of a task of one's own: name, tokens, length, whether the rows stay, behavioural tests."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from pages.own_data.colours import pick_colours
from pages.own_data.table import Upload
from pages.shared.models import how_to_fetch
from pages.shared.visitor import show_failure, translator
from viz_core import checkpoints
from viz_core.datasets.own import Understanding
from viz_core.datasets.own.understanding import LONGEST, SHORTEST, TOKENS, Tokens
from viz_core.records import Failure, Message
from viz_core.rendering.labels import excerpt
from viz_core.tasks.own import start_model
from viz_core.tasks.own.definition import MOST_TEST_CHARACTERS, MOST_TESTS, MOST_TITLE, plain_title

_HEIGHT = 110  # px
_PRESETS = ("small", "finetune")
_SAID, _SAID_COLUMNS = 3, 24  # wrong tests that are named; columns of a label that is none


@dataclass(frozen=True)
class OwnSettings:
    """What a person sets. The fields are those of a `Definition`, and the preset of the encoder."""

    title: str
    tokens: Tokens
    max_tokens: int
    keeps_rows: bool
    tests: tuple[tuple[str, ...], ...]
    colours: tuple[str, ...]
    preset: str


def settings_form(upload: Upload, result: Understanding) -> OwnSettings | Failure:
    """Draws the form; the settings, or why they are not possible, which is said below the field, too."""
    say, key = translator(), upload.number
    st.subheader(say("own_data.settings"), anchor="settings")
    start = start_model(result.languages, result.pair)
    if start and (sentence := how_to_fetch(*start.name.split("/"))):
        st.info(f"{say('own_data.start_absent')} {sentence}", icon=":material/download:")
    start = start if start and checkpoints.find(*start.name.split("/")) else None
    preset = _pick_encoder(start.name, key) if start else _PRESETS[0]
    suited = start.tokens if start and preset != _PRESETS[0] else result.tokens
    name_column, tokens_column, length_column = st.columns([3, 3, 2], gap="medium")
    with name_column:
        typed = st.text_input(
            say("own_data.name"),
            plain_title(Path(upload.name).stem) or say("own_data.untitled"),
            key=f"own_title_{key}",
            max_chars=MOST_TITLE,
            help=say("own_data.name_help"),
        )
        title = _checked(lambda: _read_title(typed))
    with tokens_column:
        tokens = st.selectbox(
            say("own_data.tokens"),
            TOKENS,
            index=TOKENS.index(suited),
            key=f"own_tokens_{key}_{preset}_{suited}",
            disabled=preset != _PRESETS[0],
            format_func=lambda name: say(f"own_data.tokens_{name}"),
            help=say("own_data.tokens_help"),
        )
    with length_column:
        length = result.max_tokens(tokens)
        max_tokens = st.number_input(
            say("own_data.length"),
            SHORTEST,
            LONGEST,
            length,
            key=f"own_length_{key}_{tokens}_{length}",
            help=say("own_data.length_help"),
        )
    keeps_rows = st.toggle(say("own_data.keep"), False, key=f"own_keep_{key}", help=say("own_data.keep_help"))
    if not keeps_rows:
        st.caption(say("own_data.not_kept"))
    colours = pick_colours(result.labels, key)
    with st.expander(say("own_data.tests"), icon=":material/rule:"):
        form = say("own_data.tests_form_pair" if result.pair else "own_data.tests_form")
        lines = st.text_area(
            say("own_data.tests_box"),
            key=f"own_tests_{key}",
            height=_HEIGHT,
            placeholder=form,
            help=say("own_data.tests_help", form=form),
        )
        tests = _checked(lambda: _read_tests(lines or "", result))
    for value in (title, tests):
        if isinstance(value, Failure):
            return value
    return OwnSettings(title, tokens, int(max_tokens), keeps_rows, tests, colours, preset)


def _pick_encoder(start: str, key: int) -> str:
    """The preset of the encoder. start: a model that it can continue from."""
    say = translator()
    return st.radio(
        say("own_data.encoder"),
        _PRESETS,
        key=f"own_encoder_{key}",
        horizontal=True,
        format_func=lambda preset: say(f"own_data.encoder_{preset}", start=start),
        help=say("own_data.encoder_help"),
    )


def _checked(read: Callable[[], Any]) -> Any:
    """What was read of a field, or why it is not possible, after saying so."""
    try:
        return read()
    except Failure as failure:
        show_failure(failure)
        return failure


def _read_title(typed: str) -> str:
    if not typed or plain_title(typed) != " ".join(typed.split()):
        raise Failure("own_data.bad_title", most=MOST_TITLE)
    return typed


def _read_tests(typed: str, result: Understanding) -> tuple[tuple[str, ...], ...]:
    """The tests, one in a line, their parts separated by `|`. Raises Failure, with the first wrong lines."""
    tests = {
        number: tuple(part.strip() for part in line.split("|"))
        for number, line in enumerate(typed.splitlines(), start=1)
        if line.strip()
    }
    if len(tests) > MOST_TESTS:
        raise Failure("own_data.many_tests", count=len(tests), most=MOST_TESTS)
    wrong = [problem for number, test in tests.items() if (problem := _problem(number, test, result))]
    if more := len(wrong[_SAID:]):
        wrong = [*wrong[:_SAID], Message("own_data.more_bad_tests", {"count": more})]
    if wrong:
        raise Failure("own_data.bad_tests", tests=wrong, known=list(result.labels))
    return tuple(tests.values())


def _problem(line: int, test: tuple[str, ...], result: Understanding) -> Message | None:
    """Why a line is no test; None if it is one."""
    if len(test) != 2 + result.pair or not all(test):
        return Message("own_data.bad_test_pair" if result.pair else "own_data.bad_test", {"line": line})
    if test[-1] not in result.labels:
        return Message("own_data.bad_test_label", {"line": line, "label": excerpt(test[-1], _SAID_COLUMNS)})
    if sum(map(len, test)) > MOST_TEST_CHARACTERS:
        return Message("own_data.long_test", {"line": line, "most": MOST_TEST_CHARACTERS})
    return None
