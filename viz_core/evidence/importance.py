"""Head importance over the validation split: single-head ablation, Taylor scores and the pruning curve."""

from dataclasses import dataclass

import numpy as np

from viz_core.analysis.heads.importance import (
    Ablation,
    ablate_heads,
    per_layer,
    prune_curve,
    prune_evaluations,
    strongest_effects,
    taylor_scores,
)
from viz_core.evidence.evidence_input import EvidenceInput, Progress, count_passes
from viz_core.evidence.results import read_record, reads_result
from viz_core.records import HeadImportance, PruneCurve

NAME = "importance"
MAX_TOKENS = 250_000  # a larger split is represented by a seeded sample: the job should take minutes, not an hour
PRUNE_TOKENS, PRUNE_ROWS = 100_000, 1_000  # the pruning curve takes about five times as many passes
MIN_EFFECT = 0.005  # a smaller change of the true class's log-probability counts as no effect
EFFECT_ROWS = 8  # rows stored per head: those it helps most, and as many that it harms most

_EFFECT = ("row", "label", "answer", "answer_without", "probability", "probability_without")  # a HeadEffect in the file


@dataclass(frozen=True)
class HeadEffect:
    """The effect of masking a head on one row.

    row: its number in the validation split. label: its true class. prediction, prediction_without: predicted classes
    with and without the head. probability, probability_without: of the true class.
    """

    row: int
    label: int
    prediction: int
    prediction_without: int
    probability: float
    probability_without: float


@dataclass(frozen=True, eq=False)
class Importance:
    """The stored results. data: `full` or `sample`. n: number of rows used, out of `rows` in the split.

    helped, harmed: by `(layer, head)` from 0, the rows whose true label becomes less (more) likely without the head.
    """

    data: str
    n: int
    rows: int
    heads: HeadImportance
    curve: PruneCurve
    helped: dict[tuple[int, int], list[HeadEffect]]
    harmed: dict[tuple[int, int], list[HeadEffect]]


def compute(data: EvidenceInput, progress: Progress) -> dict:
    """The result to store, see `read`. Rows have their numbers in the split, even if a sample of it is used."""
    checkpoint = data.checkpoint
    checkpoint.require_attention()
    positions = sample_rows(data.examples.lengths, MAX_TOKENS)
    examples, numbers = data.examples.at(positions), data.row_numbers[positions]
    prune_examples = examples.at(sample_rows(examples.lengths, PRUNE_TOKENS, PRUNE_ROWS))
    heads = checkpoint.model.config.layers * checkpoint.model.config.heads
    count_pass = count_passes(progress, 2 + heads + prune_evaluations(heads))
    taylor = taylor_scores(checkpoint, examples, count_pass)
    ablation = ablate_heads(checkpoint, examples, count_pass)
    curve = prune_curve(checkpoint, prune_examples, per_layer(taylor), count_pass)
    return {
        "n": len(positions),
        "rows": data.split_rows,
        "accuracy": ablation.whole.accuracy,
        "loss": ablation.whole.loss,
        "accuracy_change": ablation.accuracy,
        "accuracy_interval": ablation.accuracy_interval,
        "loss_change": ablation.loss,
        "loss_interval": ablation.loss_interval,
        "taylor": taylor,
        "taylor_per_layer": per_layer(taylor),
        "prune": curve,
        "effects": [
            [_effects(ablation, layer, head, numbers, examples.labels) for head in range(taylor.shape[1])]
            for layer in range(taylor.shape[0])
        ],
    }


def sample_rows(lengths: np.ndarray, max_tokens: int, max_rows: int | None = None) -> np.ndarray:
    """Sorted indices of the rows to use, given their lengths `(N,)`: all, or a seeded sample within both limits."""
    count = min(len(lengths), max_rows or len(lengths), max(1, int(max_tokens / lengths.mean())))
    return np.sort(np.random.default_rng(0).choice(len(lengths), count, replace=False))


@reads_result
def read(result: dict) -> Importance:
    """The records of a stored result."""
    helped, harmed = (
        {
            (layer, head): [HeadEffect(*(entry[key] for key in _EFFECT)) for entry in head_effects[name]]
            for layer, layer_effects in enumerate(result["effects"])
            for head, head_effects in enumerate(layer_effects)
        }
        for name in ("helped", "harmed")
    )
    heads, curve = read_record(HeadImportance, result), read_record(PruneCurve, result["prune"])
    return Importance(result["data"], result["n"], result["rows"], heads, curve, helped, harmed)


def _effects(
    ablation: Ablation, layer: int, head: int, numbers: np.ndarray, labels: np.ndarray
) -> dict[str, list[dict]]:
    whole, ablated = ablation.whole, ablation.predictions[layer, head]
    effects = ablated.log_probability - whole.log_probability
    strongest = strongest_effects(np.where(np.abs(effects) < MIN_EFFECT, 0, effects), EFFECT_ROWS)
    columns = (
        numbers,
        labels,
        whole.predicted,
        ablated.predicted,
        np.exp(whole.log_probability),
        np.exp(ablated.log_probability),
    )
    return {
        name: [dict(zip(_EFFECT, (column[index] for column in columns), strict=True)) for index in indices]
        for name, indices in zip(("helped", "harmed"), strongest, strict=True)
    }
