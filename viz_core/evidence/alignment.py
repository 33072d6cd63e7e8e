"""The evidence `alignment`: does cross-attention align words, and in which head? On pairs aligned by hand."""

from dataclasses import asdict

from viz_core.analysis.translation.head_alignment import measure_alignments
from viz_core.checkpoints import Checkpoint
from viz_core.evidence.evidence_input import Progress
from viz_core.evidence.results import six_digits
from viz_core.records import AlignmentScore, Failure, WordAlignment

NAME = "alignment"


def compute(checkpoint: Checkpoint, progress: Progress) -> dict:
    """The result to store, see `read`. Raises Failure if there are no pairs aligned by hand for the task."""
    pairs = checkpoint.task.aligned_pairs()
    if not pairs:
        raise Failure("alignment.no_pairs", task=checkpoint.task.name)
    return {"n": len(pairs), **to_result(measure_alignments(checkpoint, pairs, progress))}


def to_result(alignment: WordAlignment) -> dict:
    """The record as numbers and lists."""
    values = asdict(alignment)
    return {
        **values,
        "selected": six_digits(values["selected"]),
        "gain": six_digits(values["gain"]),
        "scores": [
            {name: six_digits(value) if isinstance(value, float) else value for name, value in score.items()}
            for score in values["scores"]
        ],
    }


def read(result: dict | None) -> WordAlignment | None:
    """The record of a stored result (`results.read_result`); None if there is no result or it is damaged."""
    result = result or {}
    try:
        scores = tuple(AlignmentScore(**score) for score in result["scores"])
        pairs, sure, possible = (result[name] for name in ("pairs", "sure", "possible"))
        return WordAlignment(pairs, sure, possible, scores, result["selected"], tuple(result["gain"]))
    except (KeyError, TypeError, ValueError):
        return None
