"""What does each head do over many inputs: where does its weight lie, and does it matter which token looks?

Entropy, neighbours and special tokens: Clark et al. 2019, "What Does BERT Look At?", section 3,
https://arxiv.org/abs/1906.04341. Distance: Vig and Belinkov 2019, https://arxiv.org/abs/1906.04284.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.redundancy import divergences
from viz_core.models.batch import bucketed, pad
from viz_core.models.protocol import Model
from viz_core.records import Examples, HeadProfile
from viz_core.text.tokenizer import CLS, PAD, SEP

# entropy: of a row, relative to the uniform row's. entropy_cls: of the row of [CLS] alone, which a classifier reads; it may
# choose while the mean over all rows hides it. dependence: how much of a row depends on which token looks (mutual
# information of query and key, relative to the same). distance: tokens. The others are shares of the weight: on the token
# itself, the one before, the one after, [CLS], all [SEP], and, of a pair, the other sentence without its [SEP], and the
# same character there, at tokens that stand in both sentences.
STATISTICS = (
    "entropy",
    "entropy_cls",
    "dependence",
    "distance",
    "self",
    "previous",
    "next",
    "cls",
    "sep",
    "other",
    "same",
)
OF_PAIRS = ("other", "same")
ROWS = 1000  # inputs drawn for the statistics; their means then move in the third digit only
PAIR_ROWS = 200  # of them, for the redundancy, which compares each head with each other
_BATCH = 4  # the attention of 4 texts of 512 tokens takes 34 MB a layer with 8 heads


def head_profile(
    model: Model,
    examples: Examples,
    pair: bool,
    progress: Callable[[int], None] = lambda rows: None,
    rows: int = ROWS,
    pair_rows: int = PAIR_ROWS,
    seed: int = 0,
) -> HeadProfile:
    """The statistics over at most so many rows of the examples, drawn by the seed. progress: told how many were done."""
    drawn = np.random.default_rng(seed).permutation(len(examples))[:rows]
    compared = set(drawn[:pair_rows].tolist())
    shape = model.config.layers, model.config.heads
    sums, counts = np.zeros((len(STATISTICS), *shape)), np.zeros((len(STATISTICS), 1, 1))
    apart, done = np.zeros((shape[0] * shape[1],) * 2), 0
    with torch.inference_mode():
        for batch in bucketed(examples.lengths[drawn], _BATCH):
            chosen = drawn[batch]
            part = examples.at(chosen)
            ids, segments, mask = pad(part.ids, part.segments)
            attention = model(ids, segments, mask, need_attention=True).own  # (L, B, H, T, T)
            found = torch.stack(
                [layer_statistics(layer, ids, segments, mask) for layer in attention], 2
            )  # (S, B, L, H)
            known = found.isfinite()
            sums += found.nan_to_num().sum(1).numpy()
            counts += known.any((2, 3)).sum(1)[:, None, None].numpy()
            for number, row in enumerate(chosen.tolist()):
                if row in compared:
                    length = len(examples.ids[row])
                    apart += divergences(attention[:, number].flatten(0, 1)[:, :length, :length]).numpy()
            done += len(chosen)
            progress(done)
    means = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
    named = dict(zip(STATISTICS, means, strict=True))
    redundancy = (1 - apart / max(len(compared), 1)).clip(0, 1)
    return HeadProfile(
        len(drawn),
        {name: named[name] for name in STATISTICS if pair or name not in OF_PAIRS},
        len(compared),
        redundancy,
    )


def layer_statistics(attention: Tensor, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
    """STATISTICS of one layer `(B, H, T, T)` for each input, as `(S, B, H)`; NaN where an input has nothing to measure."""
    T = ids.shape[1]
    real, lengths = mask.float(), mask.sum(1)
    most = lengths.clamp_min(2).float().log()  # (B,) entropy of the uniform row
    rows = torch.special.entr(attention).sum(-1)  # (B, H, T)
    received = torch.einsum("bhqk,bq->bhk", attention, real) / lengths[:, None, None]  # (B, H, T)
    entropy = _mean(rows, mask)  # (B, H)
    dependence = torch.special.entr(received).sum(-1) - entropy  # of their mixture, minus their own
    places = torch.arange(T)
    apart = (places[:, None] - places).abs().float()  # (T, T)
    content = mask & (ids != PAD) & (ids != CLS) & (ids != SEP)  # (B, T)
    other = (segments[:, :, None] != segments[:, None, :]) & content[:, None, :] & mask[:, :, None]  # (B, T, T)
    same = other & (ids[:, :, None] == ids[:, None, :])
    return torch.stack(
        [
            entropy / most[:, None],
            rows[..., 0] / most[:, None],
            dependence.clamp_min(0) / most[:, None],
            _mean(torch.einsum("bhqk,qk->bhq", attention, apart), mask),
            _mean(attention.diagonal(dim1=-2, dim2=-1), mask),
            _mean(attention.diagonal(-1, -2, -1), mask[:, 1:]),  # from token 2 on
            _mean(attention.diagonal(1, -2, -1), mask[:, 1:]),  # up to the last token but one
            _mean(attention[..., 0], mask),
            _mean(torch.einsum("bhqk,bk->bhq", attention, ((ids == SEP) & mask).float()), mask),
            _mean(torch.einsum("bhqk,bqk->bhq", attention, other.float()), content),
            _mean(torch.einsum("bhqk,bqk->bhq", attention, same.float()), same.any(-1)),
        ]
    )


def _mean(values: Tensor, over: Tensor) -> Tensor:
    """The mean of `(B, H, T)` over those queries `(B, T)`, `(B, H)`; NaN where there are none."""
    weights = over.float()
    return torch.einsum("bht,bt->bh", values, weights) / weights.sum(1)[:, None]
