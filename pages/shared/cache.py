"""Models and explanations, cached for all visitors."""

from __future__ import annotations

import gc
from collections.abc import Hashable
from dataclasses import replace
from pathlib import Path
from threading import Condition

from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from pages.shared.tasks import PAGES
from viz_core import checkpoints
from viz_core.analysis.batching import ExplanationQueue
from viz_core.checkpoints import Checkpoint, CheckpointInfo
from viz_core.records import Explanation, Failure

MODELS = 8  # in memory, for all visitors
CACHED_BYTES = 64 * 2**20  # of attention, for all visitors; an input of 512 tokens can take 33 MB
_queue = ExplanationQueue()


# Not Streamlit's caches, which take a third of a millisecond for every key that a visitor types.
@cached(LRUCache(MODELS), key=lambda path, task, name, modified: hashkey(path, name, modified), condition=Condition())
def _load(path: Path, task: str, name: str, modified: float) -> Checkpoint:
    return replace(checkpoints.load_folder(path, task), name=name)  # a run's checkpoint is not named after its folder


@cached(
    LRUCache(CACHED_BYTES, getsizeof=lambda explanation: explanation.attention.nbytes),
    key=lambda path, task, name, modified, texts, visitor: hashkey(path, modified, *texts),
    condition=Condition(),
)
def _explain(
    path: Path, task: str, name: str, modified: float, texts: tuple[str, ...], visitor: Hashable | None
) -> Explanation:
    """Explains an input, once however many visitors ask for it at the same moment."""
    return _queue.explain(_load(path, task, name, modified), *texts, visitor=visitor)


def warm_up() -> None:
    """Explains the first example of each task, so that the first visitor waits for no model and no word list."""
    for page in PAGES.values():
        for info in checkpoints.task_checkpoints(page.task)[:1]:
            try:
                explain_input(info, *page.first_texts)
            except Failure:
                continue  # the page shows the message


def weights_time(info: CheckpointInfo) -> float:
    """Modification time of the weights; part of every cache key, so that new weights are never served old results."""
    weights = info.path / checkpoints.WEIGHTS
    return weights.stat().st_mtime if weights.exists() else 0.0  # without weights, load_model says what is missing


def freeze_garbage_collector() -> None:
    """Excludes everything loaded so far from garbage collection.

    Scanning these 325,000 objects would stop the server for a third of a second at each full collection. What visitors
    leave behind takes some 20 ms, once in 200 runs of a page or 1,800 keys, and is left to Python itself:
    .streamlit/config.toml keeps Streamlit from collecting after every run.
    """
    gc.collect()
    gc.freeze()


def load_model(info: CheckpointInfo) -> Checkpoint:
    """The model, shared by all visitors: do not modify it. Raises Failure."""
    return _load(info.path, info.task, info.name, weights_time(info))


def explain_input(info: CheckpointInfo, *texts: str, visitor: Hashable | None = None) -> Explanation:
    """The explanation of one input; its arrays are shared and read-only. Raises Failure.

    visitor: whose inputs replace each other while they wait, as when a person types.
    """
    return _explain(info.path, info.task, info.name, weights_time(info), texts, visitor)
