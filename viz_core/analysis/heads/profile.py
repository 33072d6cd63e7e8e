"""Head statistics over many inputs: where does a head attend, and does its attention depend on the query?

Entropy, neighbours and special tokens: Clark et al. 2019, "What Does BERT Look At?", section 3,
https://arxiv.org/abs/1906.04341. Distance: Vig and Belinkov 2019, https://arxiv.org/abs/1906.04284.
Redundancy of two heads: 1 minus the Jensen-Shannon divergence between their rows of attention
(Clark et al. 2019, section 6).
"""

from collections.abc import Callable, Mapping, Sequence
from math import log

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.heads.criteria import is_punctuation, measure_criteria
from viz_core.checkpoints import Checkpoint
from viz_core.models.batch import length_batches, pad
from viz_core.models.protocol import Model
from viz_core.records import Examples, HeadProfile
from viz_core.text.building import CLS, PAD, SEP
from viz_core.text.tokenizer import TextEncoder

# entropy: entropy of a row, relative to a uniform row.
# entropy_cls: entropy of the [CLS] row, which a classifier may read; it can be selective even if the mean is not.
# dependence: mutual information of query and key, relative to the same entropy; 0 if all queries attend alike.
# distance: in tokens.
# other: for pairs, share of the weight from a token to the other sentence, [CLS] and [SEP] left out.
# All others: share of the weight on the keys of criteria.py.
CRITERIA = ("self", "previous", "next", "cls", "sep", "punctuation", "same")  # from criteria.py
OF_PAIRS = ("other", "same")
STATISTICS = ("entropy", "entropy_cls", "dependence", "distance", *CRITERIA[:-1], *OF_PAIRS)
ROWS = 1000  # inputs sampled for the statistics; enough for their means to vary in the third digit only
PAIR_ROWS = 200  # inputs for the redundancy, which compares every pair of heads
_TRIED = 20  # pairs by which languages are compared (`best_read`)
_BATCH = 4  # the attention of 4 texts of 512 tokens takes 34 MB per layer with 8 heads

Pairs = Sequence[tuple[str, str]]


def head_profile(
    model: Model,
    examples: Examples,
    pair: bool,
    progress: Callable[[int], None] = lambda rows: None,
    rows: int = ROWS,
    pair_rows: int = PAIR_ROWS,
    seed: int = 0,
    special_ids: Sequence[int] = (PAD, CLS, SEP),
    punctuation_ids: Sequence[int] = (),
) -> HeadProfile:
    """Head statistics over at most `rows` rows of the examples, sampled with the seed.

    A statistic that is defined for no input is left out.

    Args:
        pair: Whether inputs have two texts.
        progress: Called with the number of rows done.
        special_ids: Special tokens of the tokenizer.
        punctuation_ids: See `punctuation_ids`.
    """
    sample = np.random.default_rng(seed).permutation(len(examples))[:rows]
    redundancy_rows = set(sample[:pair_rows].tolist())
    shape = model.config.layers, model.config.heads
    sums, counts = np.zeros((len(STATISTICS), shape[0] * shape[1] + 1)), np.zeros((len(STATISTICS), 1))
    divergence, done = np.zeros((shape[0] * shape[1],) * 2), 0
    specials, marks = torch.tensor(list(special_ids)), torch.tensor(list(punctuation_ids))
    with torch.inference_mode():
        for batch in length_batches(examples.lengths[sample], _BATCH):
            numbers = sample[batch]
            part = examples.at(numbers)
            ids, segments, mask = pad(part.ids, part.segments)
            attention = model(ids, segments, mask, need_attention=True).own  # (L, B, H, T, T)
            tokens = ids, segments, mask, torch.isin(ids, specials) | ~mask, torch.isin(ids, marks)
            layers = (*attention, _uniform(mask))
            statistics = torch.cat([layer_statistics(layer, *tokens) for layer in layers], 2)  # (S, B, L H + 1)
            sums += statistics.nan_to_num().sum(1).numpy()
            counts += statistics.isfinite().any(2).sum(1)[:, None].numpy()
            for index, row in enumerate(numbers.tolist()):
                if row in redundancy_rows:
                    length = len(examples.ids[row])
                    divergence += divergences(attention[:, index].flatten(0, 1)[:, :length, :length]).numpy()
            done += len(numbers)
            progress(done)
    means = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
    by_name = {
        name: row
        for name, row in zip(STATISTICS, means, strict=True)
        if (pair or name not in OF_PAIRS) and not np.isnan(row).all()
    }
    redundancy = (1 - divergence / max(len(redundancy_rows), 1)).clip(0, 1)
    return HeadProfile(
        len(sample),
        {name: row[:-1].reshape(shape) for name, row in by_name.items()},
        len(redundancy_rows),
        redundancy,
        {name: float(row[-1]) for name, row in by_name.items() if np.isfinite(row[-1])},
    )


def punctuation_ids(text_encoder: TextEncoder, examples: Examples) -> list[int]:
    """Ids of the tokens in the examples that are punctuation (`criteria.is_punctuation`)."""
    present = np.unique(np.concatenate(examples.ids)).tolist()
    return [index for index in present if is_punctuation(text_encoder.token(index))]


def _uniform(mask: Tensor) -> Tensor:
    """Uniform attention `(B, 1, T, T)`: queries give the same weight to every token of their input."""
    even = mask / mask.sum(1, keepdim=True)  # (B, T)
    return even[:, None, None, :].expand(-1, 1, mask.shape[1], -1)


def layer_statistics(
    attention: Tensor, ids: Tensor, segments: Tensor, mask: Tensor, special: Tensor, punctuation: Tensor
) -> Tensor:
    """STATISTICS of one layer's attention `(B, H, T, T)` for each input, `(S, B, H)`.

    NaN where a statistic is not defined for an input.

    Args:
        ids, segments, mask, special, punctuation: `(B, T)`.
    """
    T = ids.shape[1]
    real, lengths = mask.float(), mask.sum(1)
    uniform_entropy = lengths.clamp_min(2).float().log()[:, None]  # (B, 1)
    rows = torch.special.entr(attention).sum(-1)  # (B, H, T)
    received = torch.einsum("bhqk,bq->bhk", attention, real) / lengths[:, None, None]  # (B, H, T)
    entropy = _mean(rows, mask)  # (B, H)
    dependence = torch.special.entr(received).sum(-1) - entropy  # of the mean row, minus the mean over rows
    positions = torch.arange(T)
    distances = (positions[:, None] - positions).abs().float()  # (T, T)
    content = mask & ~special  # (B, T)
    other = (segments[:, :, None] != segments[:, None, :]) & content[:, None, :]  # (B, T, T)
    criteria = {name: torch.full(attention.shape[:2], torch.nan) for name in CRITERIA}
    for row, length in enumerate(lengths.tolist()):
        tokens, parts, specials, marks = (t[row, :length].numpy() for t in (ids, segments, special, punctuation))
        measured = measure_criteria(attention[row], received[row], tokens, parts, specials, marks)
        for name, value in measured.items():
            criteria[name][row] = value
    statistics = {
        "entropy": entropy / uniform_entropy,
        "entropy_cls": rows[..., 0] / uniform_entropy,
        "dependence": dependence.clamp_min(0) / uniform_entropy,
        "distance": _mean(torch.einsum("bhqk,qk->bhq", attention, distances), mask),
        "other": _mean(torch.einsum("bhqk,bqk->bhq", attention, other.float()), content),
        **criteria,
    }
    return torch.stack([statistics[name] for name in STATISTICS])


def _mean(values: Tensor, queries: Tensor) -> Tensor:
    """Mean `(B, H)` of values `(B, H, T)` over the selected queries `(B, T)`; NaN if there are none."""
    weights = queries.float()
    return torch.einsum("bht,bt->bh", values, weights) / weights.sum(1)[:, None]


def divergences(attention: Tensor) -> Tensor:
    """Divergence in bits between each pair of N heads, `(N, N)`, as a mean over queries.

    0 for identical heads, 1 for heads that never attend to the same token.

    Args:
        attention: `(N, T, T)`.
    """
    own = torch.special.entr(attention).sum(-1).mean(-1)  # (N,) mean entropy of a row
    upper = attention.new_zeros(len(attention), len(attention))
    for number in range(len(attention) - 1):
        mixed = (attention[number] + attention[number + 1 :]) / 2  # (N - number - 1, T, T)
        entropy = torch.special.entr(mixed).sum(-1).mean(-1)
        upper[number, number + 1 :] = (entropy - (own[number] + own[number + 1 :]) / 2) / log(2)
    return (upper + upper.T).clamp(0, 1)


def best_read(checkpoint: Checkpoint, pairs: Mapping[str, Pairs]) -> str:
    """Language of the pairs with the smallest share of unknown tokens; the first in a tie."""

    def unknown_share(language: str) -> float:
        encodings = [checkpoint.text_encoder.encode(*pair) for pair in pairs[language][:_TRIED]]
        return float(np.concatenate([encoding.unknown for encoding in encodings]).mean())

    return min(pairs, key=unknown_share)
