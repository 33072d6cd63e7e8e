"""Importance of every head over the validation split: by ablation, by Taylor score, and as heads are pruned one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viz_core.analysis.importance import Ablation, LabelledPredictions, ablate_heads, per_layer, strongest_effects, taylor_scores
from viz_core.analysis.prune import prune_curve, prune_evaluations
from viz_core.evidence.results import six_digits
from viz_core.evidence.evidence_input import Progress, EvidenceInput
from viz_core.records import HeadImportance, PruneCurve

NAME = "importance"
# Where a split has more tokens, a seeded sample of its rows stands for it: it shall take minutes, not an hour.
MOST_TOKENS = 250_000
PRUNE_TOKENS, PRUNE_ROWS = 100_000, 1_000  # of the curve, for which the rows go through the model five times as often
LEAST_EFFECT = 0.005  # of a head on a row: a smaller change of the true class's log-probability is none
KEPT_ROWS = 8  # of each head, those that it helps most, and those that it harms most


@dataclass(frozen=True)
class HeadEffect:
    """What masking one head does to one row. row: its number in the validation split. label: of the row.

    answer, answer_without: numbers of classes. probability, probability_without: of the true class.
    """

    row: int
    label: int
    answer: int
    answer_without: int
    probability: float
    probability_without: float


@dataclass(frozen=True, eq=False)
class Importance:
    """All that was found out. data: `full` or `sample`. n: rows used, of `rows` in the split.

    helped, harmed: by `(layer, head)` from 0, the rows whose true label is less likely, or likelier, without the head.
    """

    data: str
    n: int
    rows: int
    heads: HeadImportance
    curve: PruneCurve
    helped: dict[tuple[int, int], list[HeadEffect]]
    harmed: dict[tuple[int, int], list[HeadEffect]]


def compute(subject: EvidenceInput, progress: Progress) -> dict:
    """What is kept: see `read`. The examples may be a sample; its rows are numbered as in the split."""
    checkpoint = subject.checkpoint
    checkpoint.require_attention()
    rows = sampled_rows(subject.examples.lengths, MOST_TOKENS)
    examples = subject.examples.at(rows)
    fewer = examples.at(sampled_rows(examples.lengths, PRUNE_TOKENS, PRUNE_ROWS))
    heads = checkpoint.model.config.layers * checkpoint.model.config.heads
    total, done = 2 + heads + prune_evaluations(heads), 0

    def tell() -> None:
        nonlocal done
        done += 1
        progress(done, total)

    progress(0, total)
    taylor = taylor_scores(checkpoint, examples, tell)
    ablation = ablate_heads(checkpoint, examples, tell)
    curve = prune_curve(checkpoint, fewer, per_layer(taylor), tell)
    return {
        "n": len(rows),
        "rows": len(subject.examples),
        "accuracy": ablation.whole.accuracy,
        "loss": ablation.whole.loss,
        "accuracy_change": six_digits(ablation.accuracy),
        "accuracy_interval": six_digits(ablation.accuracy_interval),
        "loss_change": six_digits(ablation.loss),
        "loss_interval": six_digits(ablation.loss_interval),
        "taylor": six_digits(taylor),
        "taylor_per_layer": six_digits(per_layer(taylor)),
        "prune": {
            name: six_digits(value) if isinstance(value, np.ndarray) else value for name, value in vars(curve).items()
        },
        "effects": [
            [_effects(ablation, layer, head, rows, examples.labels) for head in range(taylor.shape[1])]
            for layer in range(taylor.shape[0])
        ],
    }


def sampled_rows(lengths: np.ndarray, tokens: int, most: int | None = None) -> np.ndarray:
    """Numbers of the rows to use, in order: all, or a sample (always the same one) of so many rows and tokens at most."""
    count = min(len(lengths), most or len(lengths), max(1, int(tokens / lengths.mean())))
    return np.sort(np.random.default_rng(0).choice(len(lengths), count, replace=False))


def read(found: dict | None) -> Importance | None:
    """What `results.read_result` found, as records; None where nothing is kept, or what is kept lacks something."""
    try:
        arrays = {
            name: np.array(found[name])
            for name in (
                "accuracy_change",
                "accuracy_interval",
                "loss_change",
                "loss_interval",
                "taylor",
                "taylor_per_layer",
            )
        }
        heads = HeadImportance(found["n"], found["accuracy"], found["loss"], **arrays)
        curve = PruneCurve(
            **{name: np.array(value) if isinstance(value, list) else value for name, value in found["prune"].items()}
        )
        helped, harmed = (
            {
                (layer, head): [HeadEffect(**one) for one in of_head[name]]
                for layer, of_layer in enumerate(found["effects"])
                for head, of_head in enumerate(of_layer)
            }
            for name in ("helped", "harmed")
        )
        return Importance(found["data"], found["n"], found["rows"], heads, curve, helped, harmed)
    except (KeyError, TypeError, ValueError):
        return None


def _effects(ablation: Ablation, layer: int, head: int, rows: np.ndarray, labels: np.ndarray) -> dict[str, list[dict]]:
    whole, other = ablation.whole, ablation.answers[layer, head]
    effects = other.log_probability - whole.log_probability
    chosen = strongest_effects(np.where(np.abs(effects) < LEAST_EFFECT, 0, effects), KEPT_ROWS)
    return {
        name: [_effect(whole, other, i, int(rows[i]), int(labels[i])) for i in found]
        for name, found in zip(("helped", "harmed"), chosen, strict=True)
    }


def _effect(whole: LabelledPredictions, other: LabelledPredictions, place: int, row: int, label: int) -> dict:
    return vars(
        HeadEffect(
            row,
            label,
            int(whole.answers[place]),
            int(other.answers[place]),
            six_digits(np.exp(whole.log_probability[place])),
            six_digits(np.exp(other.log_probability[place])),
        )
    )
