"""The evidence over word order on the sample: the saved result reads back, unless it is of another version."""

import numpy as np

from viz_core.analysis.evaluation.word_order import order_accuracy
from viz_core.evidence import word_order
from viz_core.evidence.evidence_input import load_evidence_input
from viz_core.evidence.job import compute_evidence
from viz_core.evidence.results import read_result


def test_the_saved_result_reads_back_as_computed(sample_models):
    steps = []
    compute_evidence(word_order.NAME, "afqmc", "tiny", lambda *step: steps.append(step))
    stored = read_result(sample_models["afqmc"], word_order.NAME)
    saved, data = word_order.read(stored), load_evidence_input("afqmc", "tiny")
    assert steps == [(step, 8) for step in range(9)] and stored["split"] == "validation"
    expected = order_accuracy(data.checkpoint, data.examples, word_order.SEEDS)
    assert (saved.n, saved.seeds) == (len(data.frame), word_order.SEEDS)
    for name in ("accuracies", "intervals", "changes", "change_intervals"):
        np.testing.assert_allclose(getattr(saved, name), getattr(expected, name), atol=1e-5)


def test_a_result_of_another_version_is_none(sample_models):
    result = compute_evidence(word_order.NAME, "imdb", "tiny", lambda *step: None)
    assert word_order.read(result) is not None and word_order.read(None) is None
    assert word_order.read({**result, "orders": ["original"]}) is None
    assert word_order.read({**result, "intervals": [1, 2]}) is None
    assert word_order.read({**result, "changes": ["many"]}) is None
