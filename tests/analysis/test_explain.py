"""The record of one input: the encoder's own output, calibrated and read-only."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.tiny import save_checkpoint
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.models.batch import pad
from viz_core.records import Explanation, Failure, Message
from viz_core.text.length import cut_text

REVIEW, PAIR = ("not a good film",), ("花呗怎么还", "借呗如何还款")
INPUTS = [("imdb", REVIEW), ("afqmc", PAIR)]


@pytest.fixture
def imdb(checkpoints_dir):
    return checkpoints.load("imdb", "tiny")


@pytest.fixture
def afqmc(checkpoints_dir):
    return checkpoints.load("afqmc", "tiny")


def encoder_output(checkpoint, explanation: Explanation):
    encoding = explanation.encoding
    with torch.no_grad():
        return checkpoint.model(*pad([encoding.ids], [encoding.segments]), need_attention=True)


@pytest.mark.parametrize("task, texts", INPUTS)
def test_probabilities_are_the_softmax_of_the_logits_over_the_temperature(checkpoints_dir, task, texts):
    checkpoint = checkpoints.load(task, "tiny")
    assert checkpoint.settings.temperature == 2.0
    explanation = explain(checkpoint, *texts)
    powers = np.exp(encoder_output(checkpoint, explanation).logits[0].double().numpy() / 2)
    np.testing.assert_allclose(explanation.probabilities, powers / powers.sum(), rtol=1e-6)
    assert explanation.probabilities.sum() == pytest.approx(1)


@pytest.mark.parametrize("task, texts, tokens", [("imdb", REVIEW, 6), ("afqmc", PAIR, 14)])
def test_attention_is_the_encoders_own_and_its_rows_sum_to_one(checkpoints_dir, task, texts, tokens):
    checkpoint = checkpoints.load(task, "tiny")
    explanation = explain(checkpoint, *texts)
    assert explanation.attention.shape == (2, 2, tokens, tokens)
    assert explanation.attention.dtype == np.float32
    assert len(explanation.encoding.tokens) == tokens
    np.testing.assert_allclose(explanation.attention.sum(-1), 1, atol=1e-6)
    own = encoder_output(checkpoint, explanation).own[:, 0]
    np.testing.assert_array_equal(explanation.attention, own.numpy())


def test_record_names_its_model_task_labels_and_texts(afqmc):
    explanation = explain(afqmc, *PAIR)
    assert (explanation.model, explanation.task, explanation.labels) == ("tiny", "afqmc", ("different", "same"))
    assert (explanation.threshold, explanation.pooling) == (0.4, "cls")
    assert explanation.encoding.texts == PAIR


@pytest.mark.parametrize("task, texts", INPUTS)
def test_every_array_is_read_only(checkpoints_dir, task, texts):
    """A record may be cached and shared between visitors."""
    explanation = explain(checkpoints.load(task, "tiny"), *texts)
    arrays = {
        name: value
        for record in (explanation, explanation.encoding)
        for name, value in vars(record).items()
        if isinstance(value, np.ndarray)
    }
    assert {"attention", "probabilities", "ids", "offsets", "words"} <= set(arrays)
    for array in arrays.values():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_notices_of_the_text_are_passed_on(imdb):
    explanation = explain(imdb, "zebra " + "film " * 20)
    assert explanation.notices == imdb.text_encoder.encode("zebra " + "film " * 20).notices
    assert [notice.key for notice in explanation.notices] == ["text.truncated", "text.unknown"]
    assert explain(imdb, "a good film").notices == ()


def test_caution_of_a_bad_example_comes_first(checkpoints_dir):
    save_checkpoint(checkpoints_dir, "imdb", "bad", caution="checkpoints.collapsed")
    explanation = explain(checkpoints.load("imdb", "bad"), "a good zebra")
    assert explanation.notices[0] == Message("checkpoints.collapsed")
    assert [notice.key for notice in explanation.notices[1:]] == ["text.unknown"]


@pytest.mark.parametrize(
    "task, texts, message",
    [
        ("afqmc", ("花呗",), Message("analysis.needs_pair", {"task": "afqmc"})),
        ("imdb", ("a film", "a story"), Message("analysis.needs_single", {"task": "imdb"})),
        ("imdb", ("a film", ""), Message("analysis.needs_single", {"task": "imdb"})),
        ("afqmc", ("花呗", " "), Message("text.blank", {"where": Message("text.sentence", {"number": "B"})})),
        ("imdb", (" \n",), Message("text.blank", {"where": Message("text.the_text")})),
        ("imdb", ("?!… 🙂",), Message("text.no_words", {"where": Message("text.the_text")})),
    ],
)
def test_wrong_number_of_texts_and_unreadable_texts_are_failures(checkpoints_dir, task, texts, message):
    with pytest.raises(Failure) as failure:
        explain(checkpoints.load(task, "tiny"), *texts)
    assert failure.value.message == message


@pytest.mark.parametrize(
    "text", ["🙂🙂", "<script>alert(1)</script>", "好" * 50_000, "a\0b"], ids=["emoji", "html", "long", "nul"]
)
def test_unusual_texts_are_explained(afqmc, text):
    explanation = explain(afqmc, text, "花呗")
    assert explanation.encoding.texts == (cut_text(text), "花呗")
    assert np.isfinite(explanation.probabilities).all()
    assert len(explanation.encoding.tokens) <= 16


def test_the_same_input_gives_the_same_record(afqmc):
    first = explain(afqmc, *PAIR)
    torch.rand(7)  # the random state must not matter
    second = explain(afqmc, *PAIR)
    np.testing.assert_array_equal(first.attention, second.attention)
    np.testing.assert_array_equal(first.probabilities, second.probabilities)
    assert first.encoding.tokens == second.encoding.tokens and first.notices == second.notices


def test_the_prediction_obeys_the_threshold(imdb):
    last = explain(imdb, *REVIEW).probabilities[-1]
    for threshold, predicted in ((last, 1), (np.nextafter(last, 1), 0), (0.0, 1), (1.0, 0)):
        moved = replace(imdb, settings=replace(imdb.settings, threshold=float(threshold)))
        explanation = explain(moved, *REVIEW)
        assert explanation.threshold == threshold
        assert explanation.predicted == predicted
