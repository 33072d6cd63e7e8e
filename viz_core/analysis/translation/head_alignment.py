"""Does cross-attention align words, and in which head?

Compares every head with alignments made by hand, and with baselines.

Shapes: L layers, H heads; S source and T target tokens without the special ones.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch

from viz_core.analysis.translation.alignment import LinkCounts, count_links, diagonal, words_of_tokens
from viz_core.checkpoints import Checkpoint
from viz_core.models.protocol import SequenceToSequence
from viz_core.records import AlignedPair, AlignmentScore, WordAlignment
from viz_core.statistics.intervals import INTERVAL

RANDOM_DRAWS, SEED = 1000, 0


class _Method(NamedTuple):
    """An alignment method: the first fields of an AlignmentScore."""

    method: str
    query: str = ""
    layer: int | None = None
    head: int | None = None


def measure_alignments(
    checkpoint: Checkpoint,
    pairs: Sequence[AlignedPair],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> WordAlignment:
    """Measure how well heads and baselines align words.

    Each target token is linked to the source token with the highest weight, or the greatest drop of
    its log-probability; special tokens are left out on both sides. Methods: single heads, the mean
    over each layer and over all heads, each with both queries; leave-one-out, the diagonal, and
    random links.

    Args:
        progress: Called with the number of pairs done and of all; an exception raised by it ends
            the computation.
    """
    random = np.random.default_rng(SEED)
    links, random_links, words = [], [], []
    for done, pair in enumerate(pairs):
        progress(done, len(pairs))
        encodings = [checkpoint.text_encoder.encode(" ".join(side)) for side in (pair.source, pair.target)]
        words.append((words_of_tokens(encodings[0], pair.source), words_of_tokens(encodings[1], pair.target)))
        S, T = map(len, words[-1])
        scores = _scores(checkpoint, *(encoding.ids for encoding in encodings))
        links.append({method: values.argmax(-1) for method, values in scores.items()})
        links[-1][_Method("diagonal")] = diagonal(T, S)
        random_links.append(random.integers(S, size=(RANDOM_DRAWS, T)))
    progress(len(pairs), len(pairs))
    methods = tuple(links[0])
    counts = count_links([np.stack(list(row.values())) for row in links], words, pairs)
    heads = [number for number, method in enumerate(methods) if method.head is not None]
    selected = counts.at(heads).select_on_other_pairs()
    return WordAlignment(
        pairs=len(pairs),
        sure=sum(len(pair.sure) for pair in pairs),
        possible=sum(len(pair.possible) for pair in pairs),
        scores=(*_measure(methods, counts), _measure_random(count_links(random_links, words, pairs))),
        selected=float(selected.error_rates()[0]),
        gain=selected.gain_over(counts.at([methods.index(_Method("diagonal"))])),
    )


def _scores(checkpoint: Checkpoint, source: np.ndarray, target: np.ndarray) -> dict[_Method, np.ndarray]:
    """Scores `(T, S)` of source tokens for each target token, by each method that uses the model."""
    scores = {}
    for query, weights in cross_attention(checkpoint.generator, source, target).items():  # (L, H, T, S)
        for layer, head in np.ndindex(weights.shape[:2]):
            scores[_Method("attention", query, layer, head)] = weights[layer, head]
        for layer, mean in enumerate(weights.mean(1)):
            scores[_Method("attention", query, layer)] = mean
        scores[_Method("attention", query)] = weights.mean((0, 1))
    return {**scores, _Method("leave_one_out"): leave_one_out(checkpoint.generator, source, target)}


def _measure(methods: Sequence[_Method], counts: LinkCounts) -> list[AlignmentScore]:
    parts = counts.error_rates(), *counts.intervals().T, counts.precisions(), counts.recalls()
    return [_score(method, *map(float, values)) for method, *values in zip(methods, *parts, strict=True)]


def _measure_random(counts: LinkCounts) -> AlignmentScore:
    """Means over the random draws."""
    rates = counts.error_rates()
    means = rates.mean(), *np.quantile(rates, INTERVAL), counts.precisions().mean(), counts.recalls().mean()
    return _score(_Method("random"), *map(float, means))


def _score(method: _Method, rate: float, low: float, high: float, precision: float, recall: float) -> AlignmentScore:
    return AlignmentScore(method.method, rate, low, high, precision, recall, method.query, method.layer, method.head)


def cross_attention(model: SequenceToSequence, source: np.ndarray, target: np.ndarray) -> dict[str, np.ndarray]:
    """Cross-attention `(L, H, T, S)` of each target token, with each of two queries.

    `produces` is the query of the token before it, whose output predicts it (“alignment with
    output”, Kobayashi et al. 2020, section 5). `reads` is the token's own query, a step later
    (“alignment with input” there; Shift-Att in Chen et al. 2020, "Accurate Word Alignment Induction
    from Neural Machine Translation", section 3). The weights on special tokens are left out and the
    others are not renormalised.

    Args:
        source, target: `[CLS] … [SEP]`.
    """
    with torch.inference_mode():
        output = model(*_source(source), torch.from_numpy(target[:-1])[None].long(), need_attention=True)
    weights = output.attention["cross"][:, 0, :, :, 1:-1].numpy()  # (L, H, T + 1, S), the queries from [CLS] on
    return {"produces": weights[:, :, :-1], "reads": weights[:, :, 1:]}


def leave_one_out(model: SequenceToSequence, source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Drop in the log-probability of each target token when a source token is masked, `(T, S)`.

    Masked in encoder and decoder, like padding. Compare the “prediction difference” of Li et al.
    2019, "On the Word Alignment from Neural Machine Translation".

    Args:
        source, target: `[CLS] … [SEP]`.
    """
    ids, mask = _source(source)
    S = len(source) - 2
    masks = mask.repeat(S + 1, 1)
    masks[range(S), range(1, S + 1)] = False  # the last row is the whole source
    tokens = torch.from_numpy(target).long()
    with torch.inference_mode():
        logits = model(ids.expand(S + 1, -1), masks, tokens[:-2].expand(S + 1, -1)).logits  # (S + 1, T, C)
        chances = logits.log_softmax(-1).gather(-1, tokens[1:-1].expand(S + 1, -1)[..., None])[..., 0]  # (S + 1, T)
    return (chances[-1] - chances[:-1]).T.numpy()


def _source(source: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and mask of a source, `(1, S + 2)` each."""
    ids = torch.from_numpy(source).long()[None]
    return ids, torch.ones_like(ids, dtype=torch.bool)
