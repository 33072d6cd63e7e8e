"""The log: an id and a level on every line, and no text of a visitor."""

import logging
import os
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_core.log import current_log_id, describe_error, logged_as, set_up_log
from viz_core.records import Failure
from viz_core.variables import LOG

TEXT = "a text that somebody typed"


@pytest.fixture
def log(monkeypatch, caplog):
    """The log of a process that was set up with the id `start`; what it changes for the process is undone."""
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setenv(LOG, "debug")
    set_up_log("start")
    monkeypatch.setattr(caplog.handler, "formatter", logging.Formatter("%(levelname)s [%(log_id)s] %(message)s"))
    yield caplog
    logging.setLogRecordFactory(logging.LogRecord)
    for name in ("viz_core", "pages"):
        logging.getLogger(name).setLevel(logging.NOTSET)


def with_traceback(error: BaseException, cause: BaseException | None = None) -> BaseException:
    """The exception with a traceback, and its cause."""
    try:
        raise error from cause
    except BaseException as error:
        return error


@given(st.text(min_size=1))
def test_no_message_of_an_exception_is_described(text):
    text = f"<{text}>"
    try:
        try:
            int(text)
        except ValueError as error:
            raise KeyError(text) from error
    except KeyError as error:
        described = describe_error(ExceptionGroup(text, [error, Failure("text.blank", where=text)]))
    assert text not in described
    assert [word in described for word in ("ValueError", "KeyError", "ExceptionGroup", "text.blank")] == [True] * 4


def test_a_description_says_where_and_why():
    described = describe_error(
        with_traceback(Failure("jobs.disk_full", folder=TEXT), with_traceback(OSError(28, "No space", TEXT)))
    )
    first, second = described.split("\nwhich led to\n")
    assert "test_log.py" in first and first.endswith("OSError: No space")
    assert second.endswith("viz_core.records.messages.Failure: jobs.disk_full")


def test_a_deep_recursion_takes_few_lines():
    def recurse():
        recurse()

    with pytest.raises(RecursionError) as error:
        recurse()
    assert describe_error(error.value).count("\n") < 50


def test_causes_that_refer_to_each_other_end():
    first, second = ValueError(), KeyError()
    first.__cause__, second.__cause__ = second, first
    assert describe_error(first) == "KeyError\nwhich led to\nValueError"


def test_lines_have_the_id_of_their_block_and_logged_exceptions_no_message(log):
    ours = logging.getLogger("viz_core.test")
    with logged_as("ab12"):
        assert current_log_id() == "ab12"
        ours.error("It failed", exc_info=with_traceback(ValueError(TEXT)))
    ours.debug("Outside")
    assert "ERROR [ab12] It failed\n" in log.text and "ValueError" in log.text and TEXT not in log.text
    assert log.text.endswith("DEBUG [start] Outside\n")


def test_an_error_that_ends_a_thread_is_a_line(log):
    thread = threading.Thread(target=lambda: int(TEXT), name="reader")
    thread.start()
    thread.join()
    assert "ERROR [start] Thread reader ended with an error" in log.text and TEXT not in log.text


PROGRAM = f"""
import logging
from viz_core.log import logged_as, set_up_log
set_up_log()
for name in ("viz_core.jobs", "pages.frame", "websockets"):
    for level in (logging.DEBUG, logging.INFO, logging.WARNING):
        with logged_as("ab12"):
            logging.getLogger(name).log(level, name)
try:
    int({TEXT!r})
except ValueError:
    logging.getLogger("streamlit").exception("of another library")
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("level", "lines"),
    [
        ("debug", ["DEBUG viz_core.jobs", "INFO viz_core.jobs", "WARNING viz_core.jobs", "DEBUG pages.frame"]),
        ("", ["INFO viz_core.jobs", "WARNING viz_core.jobs", "INFO pages.frame"]),
        ("ERROR", []),
        ("loud", ["WARNING viz_core.log", "INFO viz_core.jobs", "WARNING viz_core.jobs", "INFO pages.frame"]),
    ],
)
def test_the_level_is_of_our_own_lines(level, lines):
    """Other libraries may log what they receive: of them only warnings and errors are logged."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], env={**os.environ, LOG: level}, capture_output=True, text=True, check=True
    )
    names = [" ".join(line.split()[2:4]) for line in run.stderr.splitlines() if line[:2] == "20"]
    assert names[: len(lines)] == lines
    assert [name for name in names if "websockets" in name] == ["WARNING websockets"]
    assert "ERROR streamlit" in names and "ValueError" in run.stderr and TEXT not in run.stderr
