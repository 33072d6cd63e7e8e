import numpy as np
import pytest

from tests.tiny import config
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.checkpoints import Settings
from viz_core.evidence import predictions
from viz_core.evidence.evidence_input import load_evidence_input


@pytest.mark.parametrize("task", ["imdb", "afqmc"])
def test_probabilities_are_those_of_every_row_and_no_text_is_kept(sample_models, task):
    data, told = load_evidence_input(task, "tiny"), []
    kept = predictions.compute(data, lambda done, total: told.append((done, total)))
    count = len(data.examples)
    assert set(kept) == {"rows", "probability"} and kept["rows"] == count and told[-1] == (count, count)
    found = predictions.read(kept, count, data.checkpoint.settings)
    for row in (0, count // 2, count - 1):
        texts = [data.frame.loc[row, name] for name in ("text", "text_b") if name in data.frame]
        alone = explain(checkpoints.load(task, "tiny"), *texts)
        assert found.predicted[row] == alone.predicted
        np.testing.assert_allclose(found.confidence[row], alone.probabilities[alone.predicted], atol=1e-4)


@pytest.mark.parametrize(
    "found",
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
def test_what_does_not_fit_the_split_is_nothing(found):
    assert predictions.read(found, 2, Settings("imdb", config())) is None


def test_of_three_classes_the_answer_and_its_probability_are_kept():
    probabilities = np.array([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]])
    settings = Settings("imdb", config(classes=3))
    made = predictions.Predictions.from_probabilities(probabilities, settings)
    assert made.predicted.tolist() == [1, 0] and made.confidence.tolist() == [0.5, 0.6]
    again = predictions.read({"answers": [1, 0], "confidence": [0.5, 0.6]}, 2, settings)
    assert again.predicted.tolist() == [1, 0] and again.confidence.tolist() == [0.5, 0.6]
