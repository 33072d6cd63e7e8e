"""The evidence `alignment`: does cross-attention align words, and in which head? On pairs aligned by hand."""

from viz_core.analysis.translation.head_alignment import measure_alignments
from viz_core.checkpoints import Checkpoint
from viz_core.evidence.evidence_input import Progress
from viz_core.evidence.results import read_record, reads_result
from viz_core.records import Failure, WordAlignment

NAME = "alignment"


def compute(checkpoint: Checkpoint, progress: Progress) -> dict:
    """The result to store, see `read`. Raises Failure if there are no pairs aligned by hand for the task."""
    pairs = checkpoint.task.aligned_pairs()
    if not pairs:
        raise Failure("alignment.no_pairs", task=checkpoint.task.name)
    return {"n": len(pairs), **vars(measure_alignments(checkpoint, pairs, progress))}


@reads_result
def read(result: dict) -> WordAlignment:
    """The record of a stored result."""
    return read_record(WordAlignment, result)
