"""The evidence `health`: the record `Health` of a model, from its validation split."""

from dataclasses import replace

from viz_core.analysis.evaluation.health import compute_health
from viz_core.analysis.heads.profile import OF_PAIRS, STATISTICS
from viz_core.evidence.evidence_input import EvidenceInput, Progress
from viz_core.evidence.results import read_record, reads_result, six_digits
from viz_core.records import HeadProfile, Health

NAME = "health"
_LATER = ("punctuation",)  # a statistic that files of earlier versions, and those of texts without any, do not have


def compute(data: EvidenceInput, progress: Progress) -> dict:
    """The result to store, see `to_result`."""
    health = compute_health(
        data.checkpoint,
        data.examples,
        data.frame["text"].tolist(),
        data.frame["text_b"].tolist() if data.checkpoint.task.pair else None,
        progress,
    )
    return to_result(health)


def to_result(health: Health) -> dict:
    """The record as numbers and lists, under the keys of the file."""
    values = six_digits(health)
    values["answered"] = values.pop("predicted_shares")  # the key in existing files
    return values


@reads_result
def read(result: dict) -> Health:
    """The record of a stored result."""
    health = read_record(Health, {**result, "predicted_shares": result["answered"], "heads": result["heads"]})
    return replace(health, heads=health.heads and _known_statistics(health.heads, health.pair))


def _known_statistics(heads: HeadProfile, pair: bool) -> HeadProfile:
    """Without statistics of other versions. Raises KeyError if one of this version is missing."""
    names = [
        name
        for name in STATISTICS
        if (pair or name not in OF_PAIRS) and (name not in _LATER or name in heads.statistics)
    ]
    return replace(
        heads,
        statistics={name: heads.statistics[name] for name in names},
        uniform={name: value for name, value in heads.uniform.items() if name in names},
    )
