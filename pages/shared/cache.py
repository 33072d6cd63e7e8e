"""Models and explanations, cached for all visitors."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import streamlit as st
from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from pages.shared.tasks import PAGES
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.checkpoints import Checkpoint, CheckpointInfo
from viz_core.records import Explanation, Failure

CACHED_BYTES = 256 * 2**20  # of attention, for all visitors together; one input of 512 tokens can take 33 MB


@st.cache_resource(max_entries=8, show_spinner=False)
def _load(path: Path, task: str, weights_time: float) -> Checkpoint:
    return checkpoints.load_folder(path, task)


@st.cache_resource(show_spinner=False)
def _explanations() -> tuple[LRUCache, threading.Lock]:
    return LRUCache(CACHED_BYTES, getsizeof=lambda explanation: explanation.attention.nbytes), threading.Lock()


def warm_up() -> None:
    """Loads what the first visitor would else wait for: the model of each task, the word lists, the first examples."""
    for page in PAGES.values():
        for info in checkpoints.usable(page.task)[:1]:
            try:
                explain_input(info, *page.first_texts)
            except Failure:
                continue  # the visitor is told on the page


def weights_time(info: CheckpointInfo) -> float:
    """When the weights were written: what was made with others must be made again."""
    weights = info.path / checkpoints.WEIGHTS
    return weights.stat().st_mtime if weights.exists() else 0.0  # without weights, loading says what is missing


def freeze_garbage_collector() -> None:
    """Tells the garbage collector that what is loaded by now stays.

    Streamlit collects after every run of a page: to look through all of torch and plotly again took 130 ms each time, in
    which nothing was sent to any visitor.
    """
    gc.collect()
    gc.freeze()


def load_model(info: CheckpointInfo) -> Checkpoint:
    """The model itself, shared by all visitors: not to be changed. Raises Failure."""
    return _load(info.path, info.task, weights_time(info))


def explain_input(info: CheckpointInfo, *texts: str) -> Explanation:
    """The explanation of one input; its arrays are shared and read-only. Raises Failure."""
    written, (cache, lock) = weights_time(info), _explanations()

    @cached(cache, key=lambda: hashkey(info.path, written, *texts), lock=lock)
    def compute() -> Explanation:
        return explain(_load(info.path, info.task, written), *texts)

    return compute()
