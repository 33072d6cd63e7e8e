"""What a training will take, said before it starts: parameters and memory at once, the time some seconds later."""

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
LOOK = 1.0  # seconds between two looks whether the time is known
LONGEST = 600  # seconds that timing may take: the first time, the corpus is read and tokenised, too


def show_estimate(settings: TrainingSettings, device: str) -> bool:
    """Says what the training will take; False after it was said that it cannot start."""
    try:
        needed = door.requirements(settings, device)
    except Failure as failure:
        st.error(escape_markdown(translator()(failure.message)), icon=":material/block:")
        return False
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="estimate"):
        at_hand = settings.data == "sample" or TASKS[settings.task].corpus.find() is not None
        st.markdown(
            translator()(
                "pages.training_estimate",
                parameters=f"{needed.parameters:,}",
                memory=f"{needed.memory_bytes / 1e9:.2f}",
                available=f"{needed.memory_available / 1e9:.0f}",
            ),
            width="content",
        )
        if at_hand:
            _time(settings, device)
    return at_hand


def _time(settings: TrainingSettings, device: str) -> None:
    """The time, measured in a process of its own while the page stays as quick as ever."""
    any_seed = replace(settings, recipe={**settings.recipe, "seed": 0})  # all take as long
    asked = (*shlex.split(any_seed.command)[1:], "--device", device, "--estimate", "--json")
    before = st.session_state.get("train_timing")
    if before and before != asked and (left := _timings()[0].get(before)):
        left.future.cancel()  # nobody waits for it, or whoever does asks again
    st.session_state["train_timing"] = asked
    done = _timed(asked).future.done()
    st.fragment(_told, run_every=None if done else LOOK)(asked, done)


def _told(asked: tuple[str, ...], drawn: bool) -> None:
    say, timed = translator(), _timed(asked)
    if timed.future.done() and not drawn:
        st.rerun()  # and is asked for no more
    if not timed.future.done():
        st.markdown(say("pages.training_measuring"), width="content")
        return
    try:
        time = duration(timed.future.result(), say)
    except (OSError, ValueError, KeyError, TypeError, subprocess.SubprocessError, CancelledError):
        st.markdown(say("pages.training_time_unknown"), width="content")
        return
    st.markdown(
        say("pages.training_time_busy" if timed.busy else "pages.training_time", time=time),
        width="content",
        help=say("pages.training_time_help"),
    )


@dataclass(frozen=True)
class _Timed:
    """busy: whether another training ran meanwhile, so that it took longer than it would alone."""

    future: Future
    busy: bool


@st.cache_resource(show_spinner=False)
def _timings() -> tuple[LRUCache, threading.Lock, ThreadPoolExecutor]:
    """What was timed is known to all visitors; one after the other, or they would time each other."""
    return LRUCache(256), threading.Lock(), ThreadPoolExecutor(1, "timing")


def _timed(asked: tuple[str, ...]) -> _Timed:
    """What was timed when nothing else ran counts for more than what was timed beside another training."""
    known, lock, pool = _timings()
    busy = any(run.live for run in runs.trainings())
    with lock:
        found = known.get(asked)
        if found is None or found.future.cancelled() or (found.busy and not busy and found.future.done()):
            known[asked] = found = _Timed(pool.submit(_seconds, asked), busy)
        return found


def _seconds(asked: tuple[str, ...]) -> float:
    answer = subprocess.run(
        [sys.executable, *asked], cwd=PROJECT, capture_output=True, text=True, check=True, timeout=LONGEST
    )
    return float(json.loads(answer.stdout)["seconds"])
