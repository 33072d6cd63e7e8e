"""How faithful attribution methods are to a model, and how far they agree, over a sample of the validation split."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viz_core.analysis.agreement import agreement
from viz_core.analysis.attribution import METHODS, attributions
from viz_core.analysis.explain import explain
from viz_core.analysis.faithfulness import MEASURES, faithfulness
from viz_core.analysis.integrated_gradients import TOLERANCE
from viz_core.evidence.evidence_input import EvidenceInput, Progress
from viz_core.evidence.results import six_digits
from viz_core.records import Agreement, Failure, Faithfulness
from viz_core.statistics.bootstrap import paired_interval

NAME = "faithfulness"
INPUTS, SEED = 200, 0


@dataclass(frozen=True, eq=False)
class FaithfulnessEvidence:
    """What was found out. data: `full` or `sample`. measures: as in MEASURES, means with their intervals over inputs.

    agreement: the mean tau of each pair. unfinished: the share of inputs on which integrated gradients did not add up.
    """

    data: str
    measures: tuple[Faithfulness, ...]
    agreement: Agreement
    unfinished: float


def compute(subject: EvidenceInput, progress: Progress) -> dict:
    """What is kept: see `read`. Means over INPUTS rows drawn with SEED, with 95 % bootstrap intervals over rows."""
    count = len(subject.frame)
    rows = np.sort(np.random.default_rng(SEED).choice(count, min(INPUTS, count), replace=False))
    used, lost, tau, gaps, methods = [], [], [], [], []
    for done, row in enumerate(rows):
        progress(done, len(rows))
        try:
            explanation = explain(subject.checkpoint, *_texts(subject, row))
        except Failure:  # a text that no page would read either
            continue
        found = attributions(subject.checkpoint, explanation)
        measured = faithfulness(subject.checkpoint, explanation, found)
        methods = [attribution.method for attribution in found]
        used.append(int(row))
        lost.append([[*one.values, one.control[0]] for one in measured])
        tau.append(agreement(found).tau)
        gaps.append(found[METHODS.index("integrated_gradients")].gap)
    progress(len(rows), len(rows))
    lost, tau = np.array(lost), np.array(tau)  # (N, 2, M + 1), (N, M, M)
    tau = tau[np.isfinite(tau).all((1, 2))]  # of a single token there is no order
    return {
        "n": len(used),
        "rows": count,
        "inputs": used,
        "seed": SEED,
        "methods": methods,
        "measures": {measure: _summed_up(lost[:, number]) for number, measure in enumerate(MEASURES)},
        "agreement": {"n": len(tau), **_summed_up(tau)},
        "unfinished": float(np.mean(np.array(gaps) >= TOLERANCE)),
    }


def read(found: dict | None) -> FaithfulnessEvidence | None:
    """What `results.read_result` found, as records; None where nothing is kept, or what is kept lacks something."""
    try:
        methods, measures = tuple(found["methods"]), []
        for name in MEASURES:
            mean, low, high = (np.array(found["measures"][name][part]) for part in ("mean", "low", "high"))
            measures.append(
                Faithfulness(
                    name,
                    methods,
                    mean[:-1],
                    low[:-1],
                    high[:-1],
                    (float(mean[-1]), float(low[-1]), float(high[-1])),
                    found["n"],
                )
            )
        tau = Agreement(
            methods, *(np.array(found["agreement"][part]) for part in ("mean", "low", "high")), found["agreement"]["n"]
        )
        return FaithfulnessEvidence(found["data"], tuple(measures), tau, found["unfinished"])
    except (KeyError, TypeError, ValueError, IndexError):
        return None


def _texts(subject: EvidenceInput, row: int) -> list[str]:
    columns = ["text", "text_b"] if subject.checkpoint.task.pair else ["text"]
    return [subject.frame[column].iloc[row] for column in columns]


def _summed_up(values: np.ndarray) -> dict[str, list]:
    """Mean, low and high end of its interval, of values `(N, …)` over their rows, as JSON has them, to six digits."""
    shape = values.shape[1:]
    interval = paired_interval(values.reshape(len(values), -1).T)  # (K, 2)
    parts = values.mean(0), interval[:, 0].reshape(shape), interval[:, 1].reshape(shape)
    return {name: six_digits(part) for name, part in zip(("mean", "low", "high"), parts, strict=True)}
