"""Which source token does each target token of a given translation depend on? By cross-attention and by leaving tokens
out, both with teacher forcing.

Shapes: L layers, H heads; S source and T target tokens without the special ones.
"""

from __future__ import annotations

import numpy as np
import torch

from viz_core.models.protocol import SequenceToSequence


def cross_attention(model: SequenceToSequence, source: np.ndarray, target: np.ndarray) -> dict[str, np.ndarray]:
    """Weights `(L, H, T, S)` of the query of each target token, by which query that is.

    source, target: `[CLS] … [SEP]`. `produces`: that of the token before it, whose output predicts it (“alignment with
    output”, Kobayashi et al. 2020, section 5). `reads`: that of the token itself, a step later (“alignment with input”
    there; Shift-Att in Chen et al. 2020, "Accurate Word Alignment Induction from Neural Machine Translation", section
    3). The weights on special tokens are left out and the others are not renormalised.
    """
    with torch.inference_mode():
        output = model(*_source(source), torch.from_numpy(target[:-1])[None].long(), need_attention=True)
    weights = output.attention["cross"][:, 0, :, :, 1:-1].numpy()  # (L, H, T + 1, S), the queries from [CLS] on
    return {"produces": weights[:, :, :-1], "reads": weights[:, :, 1:]}


def leave_one_out(model: SequenceToSequence, source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """`(T, S)`: the drop in the log-probability of each target token when a source token is masked in encoder and
    decoder, like padding. Compare the “prediction difference” of Li et al. 2019, "On the Word Alignment from Neural
    Machine Translation".

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
    """Ids and mask, `(1, S + 2)` each."""
    ids = torch.from_numpy(source).long()[None]
    return ids, torch.ones_like(ids, dtype=torch.bool)
