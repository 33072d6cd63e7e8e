"""Small jobs as programs for the interpreter, and helpers that wait for them."""

import time
from collections.abc import Callable

import pytest

from viz_core.jobs import runs
from viz_core.jobs.limits import Limits
from viz_core.jobs.runs import Request, Run
from viz_core.language import LANGUAGES, Translator
from viz_core.records import Failure, Message

# Runs until its folder contains a file `go`, or until it is asked to stop.
REPORTING_JOB = """
import itertools, sys, time
from pathlib import Path
from viz_core.jobs.reporter import Reporter
path = Path(sys.argv[-1])
with Reporter(path) as report:
    report.mark_running("cpu, 8 threads", 10)
    for step in itertools.count(1):
        if report.stop_requested():
            report.mark_stopped()
            break
        if (path / "go").exists():
            report.mark_finished()
            break
        report.update(step, eta=5.0, last={"loss": 1 / step}, best={"accuracy": 0.5})
        time.sleep(0.02)
"""
# The same without a Reporter: starts quickly, and exits with code 0.
BARE_JOB = "import pathlib, sys, time\nwhile not (pathlib.Path(sys.argv[-1]) / 'go').exists(): time.sleep(0.01)"


def job_with_reporter(*lines: str) -> str:
    """A job that executes these lines within a Reporter named `report`."""
    body = "\n".join(f"    {line}" for line in lines)
    return f"import sys\nfrom viz_core.jobs.reporter import Reporter\nwith Reporter(sys.argv[-1]) as report:\n{body}"


def submit(
    program: str = REPORTING_JOB, device: str = "cpu", owner: str = "anna", limits: Limits | None = None, **more: object
) -> Run:
    return runs.submit(Request("test", "example", ["-c", program], device, owner, **more), limits)


def until(condition: Callable[[], object], seconds: float = 30) -> object:
    """Waits until a condition is true and returns its result."""
    deadline = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < deadline, f"waited for {seconds} s; runs: {runs.list_runs()}"
        time.sleep(0.02)
    return result


def until_state(run: Run, *states: str) -> Run:
    return until(lambda: (now := runs.read(run.id)).status.state in states and now)


def sentence(message: Message) -> str:
    """The English sentence of a message; the message must exist in every language."""
    sentences = {language: Translator(language)(message) for language in LANGUAGES}
    assert all(sentences.values())
    return sentences["en"]


def failure_of(call: Callable) -> Message:
    """The message of the Failure that a call raises."""
    with pytest.raises(Failure) as failure:
        call()
    assert sentence(failure.value.message)
    return failure.value.message
