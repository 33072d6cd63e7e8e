import numpy as np
import pytest

from tests.analysis.toy import CLS, SEP, input_of, toy
from tests.tiny import encoder
from viz_core import checkpoints
from viz_core.analysis.attribution.faithfulness import SHARES, erasure_scores, faithfulness
from viz_core.analysis.attribution.methods import attributions
from viz_core.analysis.explain import explain

INPUT = input_of([CLS, 5, 6, 7, 8, SEP])
NUMBERS = {5: 6.0, 6: 3.0, 7: 0.0, 8: -3.0}


def p(numbers):
    """Probability of class 1, whose log-odds are the mean number of the remaining tokens."""
    return 1 / (1 + np.exp(-np.mean(numbers)))


def test_by_hand():
    """Of four tokens, 5, 10 and 20% mean a single token, 50% two; the rankings start with 5, 6 and with 8, 7."""
    assert SHARES == (0.05, 0.1, 0.2, 0.5)
    values = np.array([[0, 9, 5, 1, 0, 0], [9, 0, 1, 5, 9, 9]], float)
    comprehensive, sufficient = erasure_scores(toy(NUMBERS), INPUT, values, target=1, temperature=1.0)
    whole = p([0, 6, 3, 0, -3, 0])
    assert comprehensive == pytest.approx(
        [
            whole - (3 * p([0, 3, 0, -3, 0]) + p([0, 0, -3, 0])) / 4,
            whole - (3 * p([0, 6, 3, 0, 0]) + p([0, 6, 3, 0])) / 4,
        ]
    )
    assert sufficient == pytest.approx(
        [whole - (3 * p([0, 6, 0]) + p([0, 6, 3, 0])) / 4, whole - (3 * p([0, -3, 0]) + p([0, 0, -3, 0])) / 4]
    )


def test_the_most_positive_tokens_are_erased_and_shares_are_rounded_up():
    """A value of -9 ranks last, not first. Of six tokens, 5 and 10% mean one (0.3, 0.6), 20% two (1.2), 50% three."""
    numbers = {4: 1.0, 5: 6.0, 6: 3.0, 7: 0.0, 8: -3.0, 9: -1.0}
    values = np.array([[0, -9, 4, 3, 2, 1, -5, 0]], float)  # ranks 6, 7, 8, 4, 9, 5
    scores = erasure_scores(toy(numbers), input_of([CLS, 5, 6, 7, 8, 4, 9, SEP]), values, target=1, temperature=1.0)
    whole = p([0, 6, 3, 0, -3, 1, -1, 0])
    without = [p([0, 6, 0, -3, 1, -1, 0])] * 2 + [p([0, 6, -3, 1, -1, 0]), p([0, 6, 1, -1, 0])]
    alone = [p([0, 3, 0])] * 2 + [p([0, 3, 0, 0]), p([0, 3, 0, -3, 0])]
    assert scores[:, 0] == pytest.approx([whole - np.mean(without), whole - np.mean(alone)])


def test_the_other_class_and_the_temperature():
    values = np.array([[0, 9, 5, 1, 0, 0]], float)
    (first,) = erasure_scores(toy(NUMBERS), INPUT, values, target=1, temperature=1.0).T
    (second,) = erasure_scores(toy(NUMBERS), INPUT, values, target=0, temperature=1.0).T
    assert first == pytest.approx(-second)
    (colder,) = erasure_scores(toy({k: 2 * v for k, v in NUMBERS.items()}), INPUT, values, target=1, temperature=2.0).T
    assert colder == pytest.approx(first)


def test_a_model_without_attention_loses_nothing():
    values = np.random.default_rng(0).random((3, 6))
    assert not erasure_scores(toy(NUMBERS, attend=False), INPUT, values, 1, 1.0).any()


def test_a_single_token():
    scores = erasure_scores(toy(NUMBERS), input_of([CLS, 5, SEP]), np.array([[0.0, 1, 0]]), target=1, temperature=1.0)
    assert scores[:, 0] == pytest.approx([p([0, 6, 0]) - 0.5, 0])


def test_random_attributions_score_like_the_control(checkpoints_dir):
    """The mean over many random rankings equals that of the control, and the bounds of the control contain its mean."""
    checkpoint = checkpoints.load("imdb", "tiny")
    explanation = explain(checkpoint, "not a good film and a bad story")
    measures = faithfulness(checkpoint, explanation, attributions(checkpoint, explanation))
    random = np.random.default_rng(7).random((400, len(explanation.encoding.tokens)))
    scores = erasure_scores(
        checkpoint.model, explanation.encoding, random, explanation.predicted, checkpoint.settings.temperature
    )
    for measure, random_scores in zip(measures, scores, strict=True):
        mean, low, high = measure.control
        assert low <= mean <= high and abs(random_scores.mean() - mean) < 4 * random_scores.std() / np.sqrt(20)
        assert measure.count == 1 and len(measure.values) == len(measure.methods) == 5 and measure.low is None
    assert [measure.measure for measure in measures] == ["comprehensiveness", "sufficiency"]


def test_the_encoder_is_unchanged():
    model = encoder()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    erasure_scores(model, input_of([2, 7, 9, 3]), np.ones((1, 4)), 1, 1.0)
    assert all((tensor == before[name]).all() for name, tensor in model.state_dict().items()) and not model.training
