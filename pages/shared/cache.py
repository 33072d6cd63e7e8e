"""Models and explanations, cached for all visitors."""

import gc
import sys
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from threading import Condition, Lock
from weakref import WeakKeyDictionary

import numpy as np
from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from pages.shared.kinds import page_kind, task_page
from pages.shared.other_models import opened_checkpoint, opened_transformer
from viz_core import checkpoints
from viz_core.analysis.batching import ExplanationQueue
from viz_core.analysis.deadline import Deadline
from viz_core.analysis.heads.statistics import head_statistics
from viz_core.analysis.translation.changes import TranslationChanges, changes_hook
from viz_core.analysis.translation.explain_translation import explain_translation
from viz_core.analysis.translation.live import translate_stepwise
from viz_core.analysis.turns import Client
from viz_core.analysis.value_norms import has_value_norms, value_norms
from viz_core.checkpoints import Checkpoint, CheckpointInfo
from viz_core.explorer.packing import MEASURES
from viz_core.files import file_version
from viz_core.records import ELSEWHERE, OTHER, Explanation, Failure, HeadStatistics, Measure, Translation
from viz_core.tasks import all_tasks
from viz_core.text.length import cut_text

MODEL_BYTES = 2**30  # of weights and tokenizers in memory, for all visitors; the largest that ships takes 60 MB
CACHED_BYTES = 36 * 2**20  # of explanations, for all visitors; the attention of an input of 512 tokens can take 33 MB
ELSEWHERE_BYTES = 2**29  # the same of models from elsewhere; 12 × 12 heads of 512 tokens take 151 MB, 24 × 16 heads 403
TRANSLATION_BYTES = 2**29  # of translations; 64 tokens take 0.8 MB, 512 with 6 × 8 heads 151
NORMS_BYTES = 8 * 2**20  # of the norms of values, for all visitors; those of an input of 512 tokens take 64 kB
_FILES = (checkpoints.WEIGHTS, checkpoints.CONFIG, checkpoints.TOKENIZER, checkpoints.METRICS)
_TOKEN_BYTES = 300  # of a token: in the record its string and numbers, in a tokenizer two entries
_queue = ExplanationQueue()


def _model_bytes(checkpoint: Checkpoint) -> int:
    weights = sum(parameter.nbytes for parameter in checkpoint.model.parameters())
    return weights + _TOKEN_BYTES * checkpoint.text_encoder.vocabulary


def explanation_bytes(explanation: Explanation) -> int:
    """What an explanation takes in a cache: attention, tokens, and its texts, twice, because they are its key, too."""
    encoding = explanation.encoding
    texts = 2 * sum(map(sys.getsizeof, encoding.texts))
    return explanation.attention.nbytes + texts + _TOKEN_BYTES * len(encoding.tokens)


def translation_bytes(translation: Translation) -> int:
    """What a translation takes in a cache: its attention, and both texts."""
    tokens = len(translation.source.tokens) + len(translation.target.tokens)
    return sum(weights.nbytes for weights in translation.attention.values()) + _TOKEN_BYTES * tokens


def _texts_key(texts: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """What of the texts an explanation depends on: their beginnings, and their lengths for the notices."""
    return tuple((cut_text(text), len(text)) for text in texts)


# Not Streamlit's caches, which take a third of a millisecond for every key that a visitor types.
@cached(
    LRUCache(MODEL_BYTES, getsizeof=_model_bytes),
    key=lambda path, task, name, version: hashkey(path, name, version),
    condition=Condition(),
)
def _load_folder(path: Path, task: str, name: str, version: tuple) -> Checkpoint:
    return replace(checkpoints.load_folder(path, task), name=name)  # a run's checkpoint is not named after its folder


def _load(path: Path, task: str, name: str, version: tuple) -> Checkpoint:
    return opened_checkpoint(name) if task in ELSEWHERE else _load_folder(path, task, name, version)


def _cached_explanations(size: int) -> Callable[[Callable], Callable]:
    """A decorator: explains an input once however many visitors ask for it at the same moment. size: of those that are
    kept, in bytes; a larger one would be computed again for each head that is shown."""
    return cached(
        LRUCache(size, getsizeof=explanation_bytes),
        key=lambda path, task, name, version, texts, *_: hashkey(path, version, _texts_key(texts)),
        condition=Condition(),
    )


def _explain(
    path: Path,
    task: str,
    name: str,
    version: tuple,
    texts: tuple[str, ...],
    visitor: Hashable | None,
    client: Client | None,
    deadline: Deadline | None,
) -> Explanation:
    checkpoint = _load(path, task, name, version)
    return _queue.explain(checkpoint, *texts, visitor=visitor, client=client, deadline=deadline)


_explain_ours = _cached_explanations(CACHED_BYTES)(_explain)
_explain_elsewhere = _cached_explanations(ELSEWHERE_BYTES)(_explain)


def warm_up() -> None:
    """Computes what the page of each task shows first, so that the first visitor waits for no model and no word
    list."""
    for task in all_tasks():
        for info in checkpoints.task_checkpoints(task)[:1]:
            if warm_up_page := page_kind(task).warm_up:
                with suppress(Failure):  # the page shows the message
                    warm_up_page(info, task_page(task))


def model_version(info: CheckpointInfo) -> tuple[tuple[int, ...] | None, ...]:
    """The versions of the files that a model consists of; part of every cache key, so that another model in the same
    folder is never served old results. Of a missing file, load_model says so."""
    return tuple(file_version(info.path / file) for file in _FILES)


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
    return _load(info.path, info.task, info.name, model_version(info))


def load_transformer(info: CheckpointInfo) -> Checkpoint:
    """The model with every step of its computation: of a model from elsewhere as one of our encoders. Shared, too.
    Raises Failure; whether one of ours is a Transformer, its analyses say."""
    return opened_transformer(info.name) if info.task == OTHER else load_model(info)


@cached(
    LRUCache(NORMS_BYTES, getsizeof=lambda norms: norms.nbytes),
    key=lambda info, version, explanation, *_: hashkey(info.path, version, _texts_key(explanation.encoding.texts)),
    condition=Condition(),
)
def _value_norms(
    info: CheckpointInfo,
    version: tuple,
    explanation: Explanation,
    turn: Callable[[], AbstractContextManager],
    between_layers: Callable[[], None],
) -> np.ndarray:
    with turn():
        return value_norms(load_model(info), explanation.encoding, between_layers)


def input_norms(
    info: CheckpointInfo,
    explanation: Explanation,
    turn: Callable[[], AbstractContextManager] = nullcontext,
    between_layers: Callable[[], None] = lambda: None,
) -> np.ndarray:
    """The norms of the values of an input, `(L, H, T)`, shared and read-only (`analysis.value_norms`). Raises Failure.

    turn: in which they are computed, unless they are in the cache. between_layers: what it raises ends the computation.
    """
    return _value_norms(info, model_version(info), explanation, turn, between_layers)


# With an explanation goes what was measured of it.
@cached(WeakKeyDictionary[Explanation, HeadStatistics](), key=lambda explanation: explanation, condition=Condition())
def input_statistics(explanation: Explanation) -> HeadStatistics:
    """The statistics of every head on an input; of a long text, all its weights are computed for them."""
    return head_statistics(explanation)


def measures(info: CheckpointInfo) -> tuple[Measure, ...]:
    """What can be shown of the attention of a model. Raises Failure."""
    return MEASURES if has_value_norms(load_model(info)) else MEASURES[:1]


def explain_input(
    info: CheckpointInfo,
    *texts: str,
    visitor: Hashable | None = None,
    client: Client | None = None,
    deadline: Deadline | None = None,
) -> Explanation:
    """The explanation of one input; its arrays are shared and read-only. Raises Failure.

    visitor: whose inputs replace each other while they wait, as when a person types. client, deadline: as of
    ExplanationQueue.
    """
    explain = _explain_elsewhere if info.task in ELSEWHERE else _explain_ours
    return explain(info.path, info.task, info.name, model_version(info), texts, visitor, client, deadline)


def inputs_waiting() -> int:
    """How many inputs wait for a forward pass."""
    return _queue.waiting


def explain_outputs(
    info: CheckpointInfo,
    text: str,
    outputs: tuple[int, ...] = (),
    masked: frozenset[tuple[int, int]] = frozenset(),
    blocked: frozenset[int] = frozenset(),
    between_passes: Callable[[], None] = lambda: None,
) -> Translation:
    """A translation, shared and read-only. outputs: the ids of its tokens; empty for those of greedy decoding. masked:
    heads of the cross-attention, blocked: source tokens. between_passes: called between two steps of decoding; what it
    raises ends the computation.

    Raises Failure, also for an id that is not in the vocabulary, or more than the model can read.
    """
    return _explain_outputs(info, model_version(info), text, outputs, masked, blocked, between_passes)


@cached(
    LRUCache(TRANSLATION_BYTES, getsizeof=translation_bytes),
    key=lambda info, version, text, outputs, masked, blocked, _: (
        *(info.path, version, cut_text(text)),
        *(outputs, masked, blocked),
    ),
    lock=Lock(),
)
def _explain_outputs(
    info: CheckpointInfo,
    version: tuple,
    text: str,
    outputs: tuple[int, ...],
    masked: frozenset[tuple[int, int]],
    blocked: frozenset[int],
    between_passes: Callable[[], None],
) -> Translation:
    checkpoint, ids = load_model(info), list(outputs)
    config, source = checkpoint.model.config, checkpoint.text_encoder.encode(text)
    for position, token in enumerate(outputs):
        if not 0 <= token < config.vocabulary or position >= config.max_tokens:
            raise Failure("translation.unknown_word", position=position + 1)
    hook = changes_hook(checkpoint, source, TranslationChanges(masked, blocked))
    if not ids:
        for step in translate_stepwise(checkpoint, source, hook=hook):
            ids.append(step.output.id)
            between_passes()
    return explain_translation(checkpoint, source, ids, hook)
