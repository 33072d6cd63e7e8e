"""Faithfulness of attribution methods and agreement between them, over a sample of the validation split."""

from dataclasses import dataclass

import numpy as np

from viz_core.analysis.attribution.agreement import agreement
from viz_core.analysis.attribution.faithfulness import MEASURES, faithfulness
from viz_core.analysis.attribution.integrated_gradients import TOLERANCE
from viz_core.analysis.attribution.methods import METHODS, attributions
from viz_core.analysis.explain import explain
from viz_core.evidence.evidence_input import EvidenceInput, Progress
from viz_core.evidence.results import reads_result
from viz_core.records import Agreement, Failure, Faithfulness
from viz_core.statistics.intervals import paired_interval

NAME = "faithfulness"
INPUTS, SEED = 200, 0


@dataclass(frozen=True, eq=False)
class FaithfulnessEvidence:
    """The stored results. data: `full` or `sample`. measures: in the order of MEASURES, means and intervals over rows.

    agreement: mean tau of each pair of methods. unfinished: share of inputs for which integrated gradients missed their
    tolerance.
    """

    data: str
    measures: tuple[Faithfulness, ...]
    agreement: Agreement
    unfinished: float


def compute(data: EvidenceInput, progress: Progress) -> dict:
    """The result to store, see `read`: means over INPUTS rows, sampled with SEED, with 95% bootstrap intervals."""
    count = len(data.frame)
    positions = np.sort(np.random.default_rng(SEED).choice(count, min(INPUTS, count), replace=False))
    inputs, scores, taus, gaps, methods = [], [], [], [], []
    for done, position in enumerate(positions):
        progress(done, len(positions))
        try:
            explanation = explain(data.checkpoint, *data.texts(position))
        except Failure:  # a text that cannot be encoded
            continue
        row_attributions = attributions(data.checkpoint, explanation)
        measures = faithfulness(data.checkpoint, explanation, row_attributions)
        methods = [attribution.method for attribution in row_attributions]
        inputs.append(int(data.row_numbers[position]))
        scores.append([[*measure.values, measure.control[0]] for measure in measures])
        taus.append(agreement(row_attributions).tau)
        gaps.append(row_attributions[METHODS.index("integrated_gradients")].gap)
    progress(len(positions), len(positions))
    values, ranks = np.array(scores), np.array(taus)  # (N, 2, M + 1), (N, M, M)
    ranks = ranks[np.isfinite(ranks).all((1, 2))]  # tau is undefined for a single token
    return {
        "n": len(inputs),
        "rows": data.split_rows,
        "inputs": inputs,
        "seed": SEED,
        "methods": methods,
        "measures": {measure: _summary(values[:, number]) for number, measure in enumerate(MEASURES)},
        "agreement": {"n": len(ranks), **_summary(ranks)},
        "unfinished": np.mean(np.array(gaps) >= TOLERANCE),
    }


@reads_result
def read(result: dict) -> FaithfulnessEvidence:
    """The records of a stored result."""
    methods, measures = tuple(result["methods"]), []
    for name in MEASURES:
        mean, low, high = _parts(result["measures"][name])
        control = float(mean[-1]), float(low[-1]), float(high[-1])
        measures.append(Faithfulness(name, methods, mean[:-1], low[:-1], high[:-1], control, result["n"]))
    mean, low, high = _parts(result["agreement"])
    tau = Agreement(methods, mean, low, high, result["agreement"]["n"])
    return FaithfulnessEvidence(result["data"], tuple(measures), tau, result["unfinished"])


def _parts(stored: dict) -> list[np.ndarray]:
    return [np.array(stored[part], float) for part in ("mean", "low", "high")]


def _summary(values: np.ndarray) -> dict[str, np.ndarray]:
    """Mean over the rows of values `(N, …)` and its interval."""
    interval = paired_interval(values.reshape(len(values), -1).T)  # (K, 2)
    low, high = (bound.reshape(values.shape[1:]) for bound in interval.T)
    return {"mean": values.mean(0), "low": low, "high": high}
