from types import SimpleNamespace

import numpy as np
import pytest

from tests.tiny import config
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.checkpoints import Settings
from viz_core.evidence import predictions
from viz_core.evidence.evidence_input import load_evidence_input
from viz_core.evidence.results import six_digits


@pytest.mark.parametrize("task", ["imdb", "afqmc"])
def test_every_row_has_its_prediction_and_no_text_is_saved(sample_models, task):
    data, steps = load_evidence_input(task, "tiny"), []
    result = predictions.compute(data, lambda done, total: steps.append((done, total)))
    count = len(data.examples)
    assert set(result) == {"rows", "probability"} and result["rows"] == count and steps[-1] == (count, count)
    read = predictions.read(result, count, data.checkpoint.settings)
    for row in (0, count // 2, count - 1):
        texts = [data.frame.loc[row, name] for name in ("text", "text_b") if name in data.frame]
        alone = explain(checkpoints.load(task, "tiny"), *texts)
        assert read.predicted[row] == alone.predicted
        np.testing.assert_allclose(read.confidence[row], alone.probabilities[alone.predicted], atol=1e-4)


@pytest.mark.parametrize(
    "result",
    [
        None,
        {},
        {"probability": None},
        {"probability": [0.5]},
        {"probability": [0.5, "x"]},
        {"probability": [0.5, None]},
        {"probability": [[0.5, 0.5]]},
    ],
)
def test_a_result_that_does_not_fit_the_split_is_none(result):
    assert predictions.read(result, 2, Settings("imdb", config())) is None


def test_with_three_classes_prediction_and_confidence_are_saved():
    probabilities = np.array([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]])
    settings = Settings("imdb", config(classes=3))
    checkpoint = SimpleNamespace(settings=settings, probabilities=lambda examples, progress: probabilities)
    result = predictions.compute(SimpleNamespace(checkpoint=checkpoint, examples=None), lambda done, total: None)
    assert six_digits(result) == {"rows": 2, "answers": [1, 0], "confidence": [0.5, 0.6]}
    computed = predictions.Predictions.from_probabilities(probabilities, settings)
    assert computed.predicted.tolist() == [1, 0] and computed.confidence.tolist() == [0.5, 0.6]
    again = predictions.read({"answers": [1, 0], "confidence": [0.5, 0.6]}, 2, settings)
    assert again.predicted.tolist() == [1, 0] and again.confidence.tolist() == [0.5, 0.6]
