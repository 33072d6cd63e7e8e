"""The estimate for a training before it starts: parameters and memory at once, the time some seconds later."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import threading
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st
from cachetools import LRUCache

from pages.shared.visitor import translator
from pages.shared.wording import duration, escape_markdown
from pages.training import runs
from viz_core.records import Failure
from viz_core.tasks import TASKS
from viz_core.training import door
from viz_core.training.door import TrainingSettings

PROJECT = Path(__file__).parents[2]
POLL_SECONDS = 1.0  # between two checks whether the time is known
TIMEOUT_SECONDS = 600  # of timing, which the first time also reads and tokenises the corpus


def show_estimate(settings: TrainingSettings, device: str) -> bool:
    """Shows parameters, memory and time; False after showing why the training cannot start."""
    try:
        estimate = door.requirements(settings, device)
    except Failure as failure:
        st.error(escape_markdown(translator()(failure.message)), icon=":material/block:")
        return False
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="estimate"):
        available = settings.data == "sample" or TASKS[settings.task].corpus.find() is not None
        st.markdown(
            translator()(
                "pages.training_estimate",
                parameters=f"{estimate.parameters:,}",
                memory=f"{estimate.memory_bytes / 1e9:.2f}",
                available=f"{estimate.memory_available / 1e9:.0f}",
            ),
            width="content",
        )
        if available:
            _time(settings, device)
    return available


def _time(settings: TrainingSettings, device: str) -> None:
    """The time, measured in a separate process so that the page stays responsive."""
    with_seed_0 = replace(settings, recipe={**settings.recipe, "seed": 0})  # the seed does not change the time
    arguments = (*shlex.split(with_seed_0.command)[1:], "--device", device, "--estimate", "--json")
    previous = st.session_state.get("train_timing")
    if previous and previous != arguments and (timing := _timings()[0].get(previous)):
        timing.future.cancel()  # another visitor who waits for it requests it again
    st.session_state["train_timing"] = arguments
    is_done = _timing(arguments).future.done()
    st.fragment(_time_fragment, run_every=None if is_done else POLL_SECONDS)(arguments, is_done)


def _time_fragment(arguments: tuple[str, ...], was_done: bool) -> None:
    say, timing = translator(), _timing(arguments)
    if timing.future.done() and not was_done:
        st.rerun()  # draws the time, and polls no more
    if not timing.future.done():
        st.markdown(say("pages.training_measuring"), width="content")
        return
    try:
        time = duration(timing.future.result(), say)
    except (OSError, ValueError, KeyError, TypeError, subprocess.SubprocessError, CancelledError):
        st.markdown(say("pages.training_time_unknown"), width="content")
        return
    st.markdown(
        say("pages.training_time_busy" if timing.busy else "pages.training_time", time=time),
        width="content",
        help=say("pages.training_time_help"),
    )


@dataclass(frozen=True)
class _Timing:
    """future: seconds. busy: whether another training was running, which makes the time an upper bound."""

    future: Future
    busy: bool


@st.cache_resource(show_spinner=False)
def _timings() -> tuple[LRUCache, threading.Lock, ThreadPoolExecutor]:
    """Timings for all visitors. One worker, because simultaneous timings would slow each other down."""
    return LRUCache(256), threading.Lock(), ThreadPoolExecutor(1, "timing")


def _timing(arguments: tuple[str, ...]) -> _Timing:
    """The timing of a command, started if needed; repeated if it was taken while another training was running."""
    timings, lock, pool = _timings()
    busy = any(run.is_live for run in runs.trainings())
    with lock:
        timing = timings.get(arguments)
        if timing is None or timing.future.cancelled() or (timing.busy and not busy and timing.future.done()):
            timings[arguments] = timing = _Timing(pool.submit(_seconds, arguments), busy)
        return timing


def _seconds(arguments: tuple[str, ...]) -> float:
    process = subprocess.run(
        [sys.executable, *arguments], cwd=PROJECT, capture_output=True, text=True, check=True, timeout=TIMEOUT_SECONDS
    )
    return float(json.loads(process.stdout)["seconds"])
