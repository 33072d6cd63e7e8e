"""The evidence `word_order`: accuracy over the validation split with shuffled words and without position embeddings."""

import numpy as np

from viz_core.analysis.evaluation.word_order import order_accuracy
from viz_core.evidence.evidence_input import EvidenceInput, Progress
from viz_core.evidence.results import six_digits
from viz_core.records import ORDERS, OrderAccuracy

NAME = "word_order"
SEEDS = (0, 1, 2)  # of the random orders

_ARRAYS = {"accuracies": (4,), "intervals": (4, 2), "changes": (4,), "change_intervals": (4, 2)}


def compute(data: EvidenceInput, progress: Progress) -> dict:
    """The result to store, see `read`: over all rows, one random order per row and seed."""
    total, done = 2 + 2 * len(SEEDS), 0

    def count_pass() -> None:
        nonlocal done
        done += 1
        progress(done, total)

    progress(0, total)
    result = order_accuracy(data.checkpoint, data.examples, SEEDS, count_pass)
    return {
        "n": result.n,
        "seeds": list(result.seeds),
        "majority": six_digits(result.majority),
        "orders": list(ORDERS),
        **{name: six_digits(getattr(result, name)) for name in _ARRAYS},
    }


def read(result: dict | None) -> OrderAccuracy | None:
    """The record of a stored result (`results.read_result`); None if there is no result or it is of another version."""
    if result is None:
        return None
    try:
        arrays = {name: np.array(result[name], float) for name in _ARRAYS}
        if tuple(result["orders"]) != ORDERS or any(arrays[name].shape != shape for name, shape in _ARRAYS.items()):
            return None
        return OrderAccuracy(result["n"], tuple(result["seeds"]), result["majority"], **arrays)
    except (KeyError, TypeError, ValueError):
        return None
