"""Perplexity per word and the figures beside it, of a model whose every probability is known."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from tests.models.tiny import decoder_config
from tests.tiny_language_model import language_checkpoint
from viz_core.analysis.evaluation.next_tokens import baseline_perplexity, completes_pair, measure_windows
from viz_core.models.protocol import Output
from viz_core.text.building import CLS
from viz_core.text.windows import pack

CHECKPOINT = language_checkpoint()
ENCODER = CHECKPOINT.text_encoder


class Certain(nn.Module):
    """Every token has probability 1/V, but the one after "film" is an "s" with probability 1/2 or more."""

    def __init__(self, loud: int = -1) -> None:
        super().__init__()
        self.config, self.loud = decoder_config(vocabulary=ENCODER.vocabulary), loud
        self.unused = nn.Parameter(torch.zeros(1))

    def predict(self, ids, need_attention=False, hook=None) -> Output:
        logits = torch.zeros(*ids.shape, ENCODER.vocabulary)
        if self.loud >= 0:
            logits[..., self.loud] = math.log(ENCODER.vocabulary - 1)  # half of all
        return Output(logits, {})


def test_a_uniform_model_has_the_perplexity_of_its_vocabulary_to_the_power_of_tokens_per_word():
    (ids,) = ENCODER.whole_ids(["The film, isn't it?"])  # The · film · , · isn't · it · ?
    figures = measure_windows(Certain(), ENCODER, [ids])
    tokens, V = len(ids) - 1, ENCODER.vocabulary
    assert (figures.n, figures.tokens, figures.words) == (1, tokens, 6)
    assert figures.characters == len(" The film, isn't it?")
    assert figures.token_loss == pytest.approx(math.log(V))
    assert figures.perplexity == pytest.approx(V ** (tokens / 6), rel=1e-4)
    assert figures.bits_per_character == pytest.approx(tokens * math.log2(V) / 20)


def test_words_and_characters_are_those_of_the_whole_text_however_it_is_cut():
    text = "I liked the film, and the film liked me: a film-maker, a film."
    texts = ENCODER.whole_ids([text])
    whole = measure_windows(Certain(), ENCODER, texts)
    for length in (2, 3, 7, 12):
        cut = measure_windows(Certain(), ENCODER, pack(texts, length))
        assert (cut.tokens, cut.characters) == (whole.tokens, whole.characters)
        assert cut.words == whole.words and cut.token_loss == pytest.approx(whole.token_loss)


def test_accuracy_and_loss_of_a_model_that_expects_one_token():
    (ids,) = ENCODER.whole_ids(["The film"])
    loud = int(ids[1])
    figures = measure_windows(Certain(loud), ENCODER, [ids])
    others, tokens = 2 * (ENCODER.vocabulary - 1), len(ids) - 1
    assert figures.token_accuracy == pytest.approx(1 / tokens)
    assert figures.token_loss == pytest.approx((math.log(2) + (tokens - 1) * math.log(others)) / tokens)


def test_a_token_that_stood_behind_the_same_token_completes_a_pair():
    assert completes_pair(np.array([2, 7, 8, 7, 8, 9, 7, 9])).tolist() == [
        False,
        False,
        False,
        True,
        False,
        False,
        False,
    ]
    assert completes_pair(np.array([5, 5, 5, 5])).tolist() == [False, True, True]
    assert completes_pair(np.array([5])).tolist() == []


def test_the_loss_of_repeated_tokens_counts_only_these():
    a, b, c = (int(ENCODER.whole_ids([f"a{letter}"])[0][-2]) for letter in "xyz")
    window = np.array([CLS, a, b, a, b, c])  # the second b completes a pair
    figures = measure_windows(Certain(b), ENCODER, [window])
    assert figures.repeated_loss == pytest.approx(math.log(2), rel=1e-5)
    assert measure_windows(Certain(), ENCODER, [window[:3]]).repeated_loss is None


def test_windows_of_different_lengths_are_measured_like_each_alone():
    windows = pack(ENCODER.whole_ids(["I liked the film.", "The film"]), 9)
    together = measure_windows(CHECKPOINT.model, ENCODER, windows)
    alone = [measure_windows(CHECKPOINT.model, ENCODER, [window]) for window in windows]
    assert together.tokens == sum(figures.tokens for figures in alone)
    total = sum(figures.token_loss * figures.tokens for figures in alone)
    assert together.token_loss * together.tokens == pytest.approx(total, rel=1e-5)


def test_the_baseline_counts_words_like_the_model():
    """With nothing but [CLS] a [SEP] counted, both tokens of another such text are likely."""
    train, text = ENCODER.whole_ids(["a"] * 20), ENCODER.whole_ids(["a"])
    assert 1 < baseline_perplexity(train, text, ENCODER.vocabulary, words=1) < 1.2
    assert baseline_perplexity(train, text, ENCODER.vocabulary, words=2) < 1.1
