"""What a training will take, said before it starts: parameters and memory at once, the time some seconds later."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import threading
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from cachetools import LRUCache

from pages.shared.visitor import translator
from pages.shared.wording import duration, plain
from pages.training import runs
from viz_core import checkpoints
from viz_core.models.config import EncoderConfig
from viz_core.records import Failure
from viz_core.tasks import TASKS
from viz_core.training import estimate
from viz_core.training.building import encoder_config
from viz_core.training.devices import memory_of
from viz_core.training.prepare import prepare
from viz_core.training.settings import TrainingSettings

PROJECT = Path(__file__).parents[2]
LOOK = 1.0  # seconds between two looks whether the time is known
LONGEST = 600  # seconds that timing may take: the first time, the corpus is read and tokenised, too


def estimated(settings: dict, device: str) -> bool:
    """Says what the training will take; False after it was said that it cannot start."""
    say = translator()
    try:
        request = TrainingSettings(**settings)
        training = request.training()
        vocabulary, longest = _corpus(request.task, request.data)
        config = encoder_config(training.task, training.encoder, vocabulary)
        needed, available = estimate.memory(config, training.recipe, training.recipe.batch, longest), memory_of(device)
        if available is not None and needed > available:
            raise Failure("training.too_large", parameters=estimate.parameters(config), needed=needed / 1e9,
                          available=available / 1e9, device=device)
    except Failure as failure:
        st.error(plain(say(failure.message)), icon=":material/block:")
        return False
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="estimate"):
        at_hand = request.data == "sample" or TASKS[request.task].corpus.find() is not None
        st.markdown(_sentence(config, needed, available), width="content")
        if at_hand:
            _time(settings, device)
    return at_hand


def _sentence(config: EncoderConfig, needed: int, available: int | None) -> str:
    say, gigabytes = translator(), f"{needed / 1e9:.2f}"
    counted = f"{estimate.parameters(config):,}"
    if available is None:
        return say("pages.training_estimate", parameters=counted, memory=gigabytes)
    return say("pages.training_estimate_of", parameters=counted, memory=gigabytes, available=f"{available / 1e9:.0f}")


def _time(settings: dict, device: str) -> None:
    """The time, measured in a process of its own while the page stays as quick as ever."""
    any_seed = {**settings, "recipe": {**settings["recipe"], "seed": 0}}  # all take as long
    words = shlex.split(TrainingSettings(**any_seed).training().command)
    asked = (*words[1:], "--device", device, "--estimate", "--json")
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
    st.markdown(say("pages.training_time_busy" if timed.busy else "pages.training_time", time=time), width="content",
                help=say("pages.training_time_help"))


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
    answer = subprocess.run([sys.executable, *asked], cwd=PROJECT, capture_output=True, text=True, check=True,
                            timeout=LONGEST)
    return float(json.loads(answer.stdout)["seconds"])


@st.cache_data(max_entries=8, show_spinner=False)
def _corpus(task: str, data: str) -> tuple[int, int]:
    """Size of the vocabulary and tokens of the longest text. Those of the whole corpus are read from a model that was
    trained on it, where there is one: reading the corpus takes a while."""
    trained = [one for one in checkpoints.usable(task) if one.metrics.entries.get("data") == "full"]
    if data == "full" and trained:
        return trained[0].settings.model.vocabulary, TASKS[task].max_tokens
    prepared = prepare(TASKS[task], data)
    return prepared.text.vocabulary, int(prepared.train.lengths.max())
