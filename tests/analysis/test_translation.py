"""Translating many sentences, and the scores of translations."""

import math

import numpy as np
import pytest
import torch

from tests.models.tiny import encoder_decoder
from viz_core.analysis.decoding import SPECIAL_IDS
from viz_core.analysis.translation.translating import (
    beam_decoder,
    corpus_scores,
    hypothesis_text,
    measure_translations,
    translate,
)
from viz_core.models.decoding import greedy
from viz_core.text.building import CLS, SEP, build_translation_tokenizer
from viz_core.text.tokenizer import TextEncoder

SOURCES = [np.array([CLS, *row, SEP]) for row in ([5, 6, 7, 8], [9], [10, 11], [5, 6, 7], [12, 13])]


@pytest.mark.parametrize("decode", [greedy, beam_decoder(3)], ids=["greedy", "beam"])
def test_translations_are_in_the_order_of_the_sources_whatever_the_batch(decode):
    model, reports = encoder_decoder(2, width=16), []
    with torch.no_grad():  # what is written depends on the source
        model.output_bias.zero_()
        for layer in model.decoder_layers:
            layer.cross_attention.output.weight.mul_(4)
    alone = [translate(model, [source], decode)[0] for source in SOURCES]
    together = translate(model, SOURCES, decode, batch=2, progress=lambda done, total: reports.append((done, total)))
    assert [hypothesis.tokens for hypothesis in together] == [hypothesis.tokens for hypothesis in alone]
    assert len({hypothesis.tokens for hypothesis in together}) == 5
    assert reports == [(2, 5), (4, 5), (5, 5)]
    limit = model.config.max_tokens - 1
    assert all(
        len(hypothesis.tokens) <= limit and not set(hypothesis.tokens) & {0, 1, CLS, SEP} for hypothesis in alone
    )
    assert SPECIAL_IDS.begin == CLS and SPECIAL_IDS.end == SEP


def test_an_exception_of_the_progress_ends_it():
    def stop(done, total):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        translate(encoder_decoder(), SOURCES, greedy, progress=stop)


def test_bleu_by_hand():
    """Papineni et al. 2002: 5 of 6 words, 4 of 5 pairs, 3 of 4 triples and 2 of 3 quadruples occur in the reference,
    which is as long as the translation. In lower case."""
    scores = corpus_scores(["we go to school every day"], ["We go to school every morning"])
    assert scores["bleu"] == pytest.approx(100 * (5 / 6 * 4 / 5 * 3 / 4 * 2 / 3) ** (1 / 4))


def test_a_short_translation_is_penalised_by_hand():
    """All its n-grams are right, but it has 5 words instead of 6: e^(1 - 6/5)."""
    scores = corpus_scores(["we go to school every"], ["we go to school every day"])
    assert scores["bleu"] == pytest.approx(100 * math.exp(1 - 6 / 5))
    assert scores["chrf"] < 100


def test_the_same_sentences_have_the_highest_scores():
    texts = ["we go to school.", "he has not come yet, has he?"]
    assert corpus_scores(texts, [text.upper() for text in texts]) == pytest.approx({"bleu": 100, "chrf": 100})
    assert corpus_scores(["x"] * 2, texts)["chrf"] < 5


def test_a_model_is_measured_beside_the_targets_of_the_nearest_training_sources():
    """Every source is in the training pairs, so that its retrieved target is the reference."""
    pairs = {"text": ["a b c d e", "f g h i"], "text_b": ["e d c b a", "i h g f"]}
    encoder = TextEncoder(build_translation_tokenizer([*pairs["text"], *pairs["text_b"]], 16, min_count=1))
    model = encoder_decoder(vocabulary=encoder.vocabulary)
    figures = measure_translations(model, encoder, pairs, pairs)
    assert (figures.n, figures.beam, figures.retrieval_bleu) == (2, 4, pytest.approx(100))
    ids, _ = encoder.ids(pairs["text"])
    for decode, bleu in ((greedy, figures.bleu), (beam_decoder(4), figures.beam_bleu)):
        texts = [hypothesis_text(encoder, hypothesis) for hypothesis in translate(model, ids, decode)]
        assert bleu == corpus_scores(texts, pairs["text_b"])["bleu"]
