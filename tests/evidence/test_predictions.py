import numpy as np
import pytest

from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.evidence import predictions
from viz_core.evidence.subject import validation_subject


@pytest.mark.parametrize("task", ["imdb", "afqmc"])
def test_probabilities_are_those_of_every_row_and_no_text_is_kept(sampled, task):
    subject, told = validation_subject(task, "tiny"), []
    kept = predictions.compute(subject, lambda done, total: told.append((done, total)))
    count = len(subject.examples)
    assert set(kept) == {"rows", "probability"} and kept["rows"] == count and told[-1] == (count, count)
    found = predictions.read(kept, count)
    for row in (0, count // 2, count - 1):
        texts = [subject.frame.loc[row, name] for name in ("text", "text_b") if name in subject.frame]
        alone = explain(checkpoints.load(task, "tiny"), *texts)
        np.testing.assert_allclose(found[row], alone.probabilities[-1], atol=1e-4)


@pytest.mark.parametrize("found", [
    None, {}, {"probability": None}, {"probability": [0.5]}, {"probability": [0.5, "x"]}, {"probability": [0.5, None]},
    {"probability": [[0.5, 0.5]]}])
def test_what_does_not_fit_the_split_is_nothing(found):
    assert predictions.read(found, 2) is None
