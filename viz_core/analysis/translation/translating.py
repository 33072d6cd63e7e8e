"""Translation of sentences and its scores, BLEU and chrF, in lower case.

BLEU (Papineni et al. 2002) and chrF (Popović 2015) are computed by sacreBLEU (Post 2018).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

import numpy as np
import pandas as pd
import torch
from sacrebleu.metrics import BLEU, CHRF
from sklearn.feature_extraction.text import TfidfVectorizer
from torch import nn

from viz_core.analysis.decoding import special_ids
from viz_core.checkpoints import Checkpoint
from viz_core.models.batch import length_batches, pad
from viz_core.models.beam_search import beam_search
from viz_core.models.decoding import Advance, Hypothesis, Vocabulary, greedy
from viz_core.models.protocol import Generator, S
from viz_core.records import TranslationFigures
from viz_core.text.tokenizer import TextEncoder

BEAM = 4  # width of the measured beam search

Columns = pd.DataFrame | Mapping[str, Sequence[str]]
Decoder = Callable[[Advance[S], S, int, Vocabulary, int], list[Hypothesis]]  # `decoding.greedy`, for example


def first_token(checkpoint: Checkpoint) -> str:
    """Token that the decoder reads first."""
    return checkpoint.text_encoder.token(special_ids(checkpoint.model).begin)


def translate(
    model: Generator,
    sources: Sequence[np.ndarray],
    decode: Decoder,
    batch: int = 64,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Hypothesis]:
    """Translate each source, in order.

    Cut off where the positions of the model end.

    Args:
        sources: Ids of each source, `[CLS] … [SEP]`.
        progress: Called after every batch with the number of sources done and of all sources; an
            exception raised by it ends the computation.
    """
    device = next(cast(nn.Module, model).parameters()).device
    hypotheses: dict[int, Hypothesis] = {}
    with torch.inference_mode():
        for rows in length_batches(np.array([len(source) for source in sources], int), batch):
            ids, _, mask = pad([sources[row] for row in rows], [np.zeros_like(sources[row]) for row in rows], device)
            state = model.start(ids, mask)
            decoded = decode(model.advance, state, len(rows), special_ids(model), model.config.max_tokens - 1)
            hypotheses |= zip(rows.tolist(), decoded, strict=True)
            progress(len(hypotheses), len(sources))
    return [hypotheses[row] for row in range(len(sources))]


def beam_decoder(width: int) -> Decoder:
    """Beam search of this width, one source after another, that returns the hypothesis with the best score."""

    def decode(advance: Advance[S], state: S, count: int, vocabulary: Vocabulary, limit: int) -> list[Hypothesis]:
        rows = (state.at(torch.tensor([row])) for row in range(count))
        return [beam_search(advance, row, vocabulary, limit, width)[0] for row in rows]

    return decode


def corpus_scores(translations: Sequence[str], references: Sequence[str]) -> dict[str, float]:
    """BLEU and chrF of a corpus, from 0 to 100; one reference for each translation."""
    scores = {"bleu": BLEU(lowercase=True), "chrf": CHRF(lowercase=True)}
    return {name: metric.corpus_score(list(translations), [list(references)]).score for name, metric in scores.items()}


def decoding_scores(
    encoder: TextEncoder, hypotheses: Sequence[Hypothesis], references: Sequence[str]
) -> dict[str, float]:
    """Scores of decoded translations, and how many of them were cut off."""
    scores = corpus_scores([hypothesis_text(encoder, hypothesis) for hypothesis in hypotheses], references)
    return {**scores, "incomplete": sum(not hypothesis.complete for hypothesis in hypotheses)}


def measure_translations(model: Generator, encoder: TextEncoder, pairs: Columns, train: Columns) -> TranslationFigures:
    """Measure greedy translations, a beam search and the retrieval baseline.

    Args:
        pairs, train: Sources as `text`, targets as `text_b`, one after another.
    """
    sources, references = list(pairs["text"]), list(pairs["text_b"])
    ids, _ = encoder.ids(sources)
    retrieved = retrieve_translations(sources, list(train["text"]), list(train["text_b"]))
    measured: dict[str, dict] = {
        "": decoding_scores(encoder, translate(model, ids, greedy), references),
        "beam_": decoding_scores(encoder, translate(model, ids, beam_decoder(BEAM)), references),
        "retrieval_": corpus_scores(retrieved, references),
    }
    figures = {prefix + name: score for prefix, scores in measured.items() for name, score in scores.items()}
    return TranslationFigures(n=len(sources), beam=BEAM, **figures)


def hypothesis_text(encoder: TextEncoder, hypothesis: Hypothesis) -> str:
    """A hypothesis as plain text."""
    return encoder.decode(hypothesis.tokens).texts[0]


def retrieve_translations(
    sentences: Sequence[str], train_sources: Sequence[str], train_targets: Sequence[str]
) -> list[str]:
    """Retrieval baseline: the target of the most similar training source; the first in a tie.

    Similarity is the cosine of the counts of characters and pairs of characters, weighted by tf-idf
    (Manning et al. 2008, chapter 6).
    """
    vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(1, 2))
    train = vectorizer.fit_transform(train_sources)
    similarities = vectorizer.transform(sentences) @ train.T  # (N, train sentences), sparse
    nearest = np.asarray(similarities.argmax(axis=1)).ravel()
    return [train_targets[row] for row in nearest]
