"""Translates sentences, and measures translations: BLEU (Papineni et al. 2002) and chrF (Popović 2015) by sacreBLEU
(Post 2018), in lower case."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from sacrebleu.metrics import BLEU, CHRF

from viz_core.models.batch import length_batches, pad
from viz_core.models.decoding import Advance, Hypothesis, State, Vocabulary, beam_search
from viz_core.models.protocol import SequenceToSequence
from viz_core.text.tokenizer import CLS, PAD, SEP, UNK

VOCABULARY = Vocabulary(begin=CLS, end=SEP, excluded=(PAD, UNK, CLS))

Decoder = Callable[[Advance, State, int, Vocabulary, int], list[Hypothesis]]  # `decoding.greedy`, for example


def translate(
    model: SequenceToSequence,
    sources: Sequence[np.ndarray],
    decode: Decoder,
    batch: int = 64,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Hypothesis]:
    """A hypothesis for each source, in their order. sources: the ids of each, `[CLS] … [SEP]`.

    Cut off where the positions of the model end. progress: called after every batch with the number of sources done and
    of all sources; an exception raised by it ends the computation.
    """
    device = next(model.parameters()).device
    hypotheses: list[Hypothesis | None] = [None] * len(sources)
    done = 0
    with torch.inference_mode():
        for rows in length_batches(np.array([len(source) for source in sources], int), batch):
            ids, _, mask = pad([sources[row] for row in rows], [np.zeros_like(sources[row]) for row in rows], device)
            state = model.start(model.encode(ids, mask)[0], mask)
            decoded = decode(model.advance, state, len(rows), VOCABULARY, model.config.max_tokens - 1)
            for row, hypothesis in zip(rows, decoded, strict=True):
                hypotheses[row] = hypothesis
            done += len(rows)
            progress(done, len(sources))
    return hypotheses


def beam_decoder(width: int) -> Decoder:
    """Beam search of this width, one source after another; the hypothesis with the best score."""

    def decode(advance: Advance, state: State, count: int, vocabulary: Vocabulary, limit: int) -> list[Hypothesis]:
        rows = (state.at(torch.tensor([row])) for row in range(count))
        return [beam_search(advance, row, vocabulary, limit, width)[0] for row in rows]

    return decode


def corpus_scores(translations: Sequence[str], references: Sequence[str]) -> dict[str, float]:
    """BLEU and chrF of a corpus, from 0 to 100; one reference for each translation."""
    scores = {"bleu": BLEU(lowercase=True), "chrf": CHRF(lowercase=True)}
    return {name: metric.corpus_score(list(translations), [list(references)]).score for name, metric in scores.items()}
