"""The estimate for a training before it starts: parameters and memory at once, time and free memory seconds later."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import streamlit as st
from cachetools import LRUCache

from pages.shared.visitor import translator
from pages.shared.wording import duration, escape_markdown
from pages.training import runs
from viz_core.folders import CODE
from viz_core.jobs.processes import lower_priority
from viz_core.records import Failure, Message, message_from_json
from viz_core.tasks import get_task
from viz_core.training import door
from viz_core.training.door import TrainingSettings

POLL_SECONDS = 1.0  # between two checks whether the measurement is done
TIMEOUT_SECONDS = 600  # of a measurement, which the first time also reads and tokenises the corpus
RETRY_SECONDS = 30  # after which a failed measurement is repeated: the device may have become free
_IN_USE = "training.device_in_use"  # the only failure that may be over when the run's turn comes


@dataclass(frozen=True)
class Measurement:
    """seconds, memory_available: None if they could not be measured. failure: why the training would fail now. ended:
    monotonic time."""

    seconds: float | None = None
    memory_available: int | None = None
    failure: Message | None = None
    ended: float = field(default_factory=time.monotonic)


def show_estimate(settings: TrainingSettings) -> bool:
    """Shows parameters, memory and time; False after showing why the training cannot start."""
    try:
        estimate = door.requirements(settings, settings.device)
    except Failure as failure:
        _show_failure(failure.message)
        return False
    has_data = settings.data == "sample" or get_task(settings.task).find_corpus() is not None
    timing = _request_timing(settings) if has_data else None
    measured = timing.result() if timing else None
    total, free = estimate.memory_available, measured and measured.memory_available
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="estimate"):
        st.markdown(
            translator()(
                "pages.training_estimate_free" if free and free < total else "pages.training_estimate",
                parameters=f"{estimate.parameters:,}",
                memory=f"{estimate.memory_bytes / 1e9:.2f}",
                available=f"{(free or total) / 1e9:.0f}",
            ),
            width="content",
        )
        if measured and not measured.failure:
            _show_time(measured.seconds, timing.busy)
        elif timing and not measured:
            st.fragment(_wait, run_every=POLL_SECONDS)(timing)
    if measured and measured.failure:
        _show_failure(measured.failure)
        return measured.failure.key == _IN_USE
    return has_data


def _show_failure(message: Message) -> None:
    """Why the training cannot start, or why it has to wait."""
    sentence = escape_markdown(translator()(message))
    if message.key == _IN_USE:
        st.warning(sentence, icon=":material/hourglass_top:")
    else:
        st.error(sentence, icon=":material/block:")


def _show_time(seconds: float | None, was_busy: bool) -> None:
    """was_busy: whether the machine had other work when the time was measured."""
    say = translator()
    if seconds is None:
        st.markdown(say("pages.training_time_unknown"), width="content")
        return
    name = "time_busy" if was_busy else "time_longer" if _is_busy() else "time"
    st.markdown(
        say(f"pages.training_{name}", time=duration(seconds, say)),
        width="content",
        help=say("pages.training_time_help"),
    )


def _wait(timing: _Timing) -> None:
    """Draws the page again once the measurement is done."""
    if timing.future.done():
        st.rerun()
    st.markdown(translator()("pages.training_measuring"), width="content")


def _request_timing(settings: TrainingSettings) -> _Timing:
    """Measures in a separate process, so that the page stays responsive and this process opens no GPU."""
    with_seed_0 = replace(settings, recipe={**settings.recipe, "seed": 0})  # the seed does not change the time
    arguments = (*shlex.split(with_seed_0.command)[1:], "--device", settings.device, "--estimate", "--json")
    previous = st.session_state.get("train_timing")
    if previous and previous != arguments:
        timings, lock, _ = _timings()
        with lock:
            timing = timings.get(previous)
        if timing:
            timing.future.cancel()  # another visitor who waits for it requests it again
    st.session_state["train_timing"] = arguments
    return _timing(arguments)


@dataclass(frozen=True)
class _Timing:
    """future: a Measurement. busy: whether the machine had other work, so that the time holds only beside it."""

    future: Future
    busy: bool

    def result(self) -> Measurement | None:
        """None until it is done, and if it was cancelled."""
        return self.future.result() if self.future.done() and not self.future.cancelled() else None

    def is_outdated(self, busy: bool) -> bool:
        """Whether to measure again. busy: whether the machine has other work now."""
        result = self.result()
        if result is None:
            return self.future.cancelled()
        return (self.busy and not busy) or bool(result.failure and time.monotonic() - result.ended > RETRY_SECONDS)


@st.cache_resource(show_spinner=False)
def _timings() -> tuple[LRUCache, threading.Lock, ThreadPoolExecutor]:
    """Timings for all visitors. One worker, because simultaneous timings would slow each other down."""
    return LRUCache(256), threading.Lock(), ThreadPoolExecutor(1, "timing")


def _timing(arguments: tuple[str, ...]) -> _Timing:
    """The timing of a command, started if needed; repeated if it failed, and once the machine is idle again."""
    timings, lock, pool = _timings()
    busy = _is_busy()
    with lock:
        timing = timings.get(arguments)
        if timing is None or timing.is_outdated(busy):
            timings[arguments] = timing = _Timing(pool.submit(_try_to_measure, arguments), busy)
        return timing


def _is_busy() -> bool:
    """Whether the machine has other work: a run, or a high load."""
    return any(run.is_live for run in runs.trainings()) or door.machine_is_busy()


def _try_to_measure(arguments: tuple[str, ...]) -> Measurement:
    try:
        return _measure(arguments)
    except Failure as failure:
        return Measurement(failure=failure.message)
    except (OSError, ValueError, LookupError, TypeError, subprocess.SubprocessError):
        return Measurement()


def _measure(arguments: tuple[str, ...]) -> Measurement:
    """Runs a command `train --estimate --json`. Raises the Failure that it prints."""
    process = _run([sys.executable, *arguments])
    if process.returncode:
        message = message_from_json(json.loads(process.stderr.splitlines()[-1])["message"])
        raise Failure(message.key, **message.values)
    result = json.loads(process.stdout)
    return Measurement(float(result["seconds"]), int(result["memory_available"]))


def _run(command: list[str]) -> subprocess.CompletedProcess:
    """Runs a command with the priority of a training: beside other work it would otherwise be timed faster than the
    training will be. Raises SubprocessError after `TIMEOUT_SECONDS`."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=CODE, stdout=pipe, stderr=pipe, text=True) as process:
        lower_priority(process.pid)
        try:
            output, errors = process.communicate(timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, output, errors)
