"""The evidence `word_order`: accuracy over the validation split with shuffled words and without position embeddings."""

from viz_core.analysis.evaluation.word_order import order_accuracy
from viz_core.evidence.evidence_input import EvidenceInput, Progress, count_passes
from viz_core.evidence.results import read_record, reads_result
from viz_core.records import ORDERS, OrderAccuracy

NAME = "word_order"
SEEDS = (0, 1, 2)  # of the random orders

_ARRAYS = {"accuracies": (4,), "intervals": (4, 2), "changes": (4,), "change_intervals": (4, 2)}


def compute(data: EvidenceInput, progress: Progress) -> dict:
    """The result to store, see `read`: over all rows, one random order per row and seed."""
    count_pass = count_passes(progress, 2 + 2 * len(SEEDS))
    return {"orders": ORDERS, **vars(order_accuracy(data.checkpoint, data.examples, SEEDS, count_pass))}


@reads_result
def read(result: dict) -> OrderAccuracy | None:
    """The record of a stored result; None if it is of another version."""
    accuracy = read_record(OrderAccuracy, result)
    fits = all(getattr(accuracy, name).shape == shape for name, shape in _ARRAYS.items())
    return accuracy if fits and tuple(result["orders"]) == ORDERS else None
