"""What can a model do and what can it not: its answers to texts that each probe one thing (Ribeiro et al. 2020, section 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd

from viz_core.checkpoints import Checkpoint
from viz_core.records import Probe, ProbeAnswer, ProbeScore, Probing
from viz_core.statistics.intervals import wilson

ALL = "all"  # stands for the category where all of them are meant


def probing(checkpoint: Checkpoint, probes: Sequence[Probe]) -> Probing:
    """The model's answers to the probes, with its own temperature and threshold. Raises ValueError without probes."""
    task, settings = checkpoint.task, checkpoint.settings
    frame = pd.DataFrame([probe.texts for probe in probes], columns=["text", "text_b"][: 1 + task.pair])
    probabilities = checkpoint.probabilities(task.examples(frame, checkpoint.text))
    answers = settings.decide(probabilities)
    return scored(
        [
            ProbeAnswer(probe, task.labels[answer], float(row[answer]))
            for probe, answer, row in zip(probes, answers, probabilities, strict=True)
        ]
    )


def scored(answers: Sequence[ProbeAnswer]) -> Probing:
    """The answers with the share of right ones, by category and over all. Raises ValueError without answers."""
    if not answers:
        raise ValueError("there are no answers to score: at least one is needed")
    categories = dict.fromkeys(answer.probe.category for answer in answers)
    return Probing(
        tuple(answers),
        tuple(
            _score(category, [answer for answer in answers if answer.probe.category == category])
            for category in categories
        ),
        _score(ALL, answers),
    )


def scores(found: Probing) -> dict:
    """The scores as `metrics.json` keeps them."""
    return {**asdict(found.overall), "given": found.given, "categories": [asdict(score) for score in found.scores]}


def _score(category: str, answers: Sequence[ProbeAnswer]) -> ProbeScore:
    right, n = sum(answer.right for answer in answers), len(answers)
    return ProbeScore(category, n, right / n, *wilson(right, n))
