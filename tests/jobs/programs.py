"""Small jobs as commands for the interpreter, and how a test waits for what they do."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from viz_core.jobs import runs
from viz_core.jobs.limits import Limits
from viz_core.jobs.runs import Request, Run
from viz_core.language import LANGUAGES, Translator
from viz_core.records import Failure, Message

# Goes on until a file `go` is in its folder, or it is asked to stop.
PATIENT = """
import itertools, sys, time
from pathlib import Path
from viz_core.jobs.reporter import Reporter
path = Path(sys.argv[-1])
with Reporter(path) as report:
    report.running("cpu, 8 threads", 10)
    for step in itertools.count(1):
        if report.stop_requested():
            report.stopped()
            break
        if (path / "go").exists():
            report.finished()
            break
        report.progress(step, eta=5.0, last={"loss": 1 / step}, best={"accuracy": 0.5})
        time.sleep(0.02)
"""
# The same without the Reporter: it starts in no time, and ends with 0.
QUICK = "import pathlib, sys, time\nwhile not (pathlib.Path(sys.argv[-1]) / 'go').exists(): time.sleep(0.01)"


def reporting(*lines: str) -> str:
    """A job that does this within a Reporter named `report`."""
    body = "\n".join(f"    {line}" for line in lines)
    return f"import sys\nfrom viz_core.jobs.reporter import Reporter\nwith Reporter(sys.argv[-1]) as report:\n{body}"


def submit(
    program: str = PATIENT, device: str = "cpu", owner: str = "anna", limit: Limits | None = None, **more: object
) -> Run:
    return runs.submit(Request("test", "one", ["-c", program], device, owner, **more), limit)


def until(condition: Callable[[], object], seconds: float = 30) -> object:
    """Waits for a condition and gives what it gave."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"waited for {seconds} s; the runs: {runs.listing()}"
        time.sleep(0.02)
    return found


def until_state(run: Run, *states: str) -> Run:
    return until(lambda: (now := runs.read(run.id)).status.state in states and now)


def spoken(message: Message) -> str:
    """The English sentence of a message that can be said in every language."""
    said = {language: Translator(language)(message) for language in LANGUAGES}
    assert all(said.values())
    return said["en"]


def failure_of(call: Callable) -> Message:
    with pytest.raises(Failure) as failure:
        call()
    assert spoken(failure.value.message)
    return failure.value.message
