"""What would the model answer if some of it, or of its input, were otherwise?

A masked head is that of Michel et al. 2019, "Are Sixteen Heads Really Better than One?", section 2.3,
https://arxiv.org/abs/1905.10650; a uniform one that of Wiegreffe and Pinter 2019, "Attention is not not Explanation",
section 3.2, https://arxiv.org/abs/1908.04626; editing a row asks what Jain and Wallace 2019, "Attention is not Explanation",
section 4.2, https://arxiv.org/abs/1902.10186, asked with rows that were shuffled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from scipy.special import softmax
from torch import Tensor

from viz_core.checkpoints import Checkpoint
from viz_core.models.batch import bucketed, pad
from viz_core.models.config import EncoderConfig
from viz_core.models.encoder import Edit
from viz_core.records import Encoding, Failure
from viz_core.text.tokenizer import UNK

CELLS = 4 * 2**20  # weights of one layer in one pass, 16 MB: so much for each of the visitors who try at the same time
SLACK = 1e-3  # so far from 1 may an edited row sum: it is scaled to it
Head = tuple[int, int]  # layer and head, from 0
Row = tuple[int, int, int]  # layer, head and query, from 0


@dataclass(frozen=True, eq=False)
class Intervention:
    """What is changed on one input; nothing, as it stands here. Tokens are numbered as in the unchanged input.

    masked: heads that give nothing to their layer. uniform: heads that look at every token alike. rows: what a query of a
    head looks at, weights `(T,)` that sum to 1. removed, unknown: tokens taken out, or replaced by [UNK]. blocked: tokens
    that nobody may look at, in every head; the other weights of each row are scaled back to the sum 1.
    Where several meet: a mask hides all else, an edited row replaces a uniform one, and loses what is blocked or removed.
    """

    masked: frozenset[Head] = frozenset()
    uniform: frozenset[Head] = frozenset()
    rows: Mapping[Row, np.ndarray] = field(default_factory=dict)
    removed: frozenset[int] = frozenset()
    unknown: frozenset[int] = frozenset()
    blocked: frozenset[int] = frozenset()


def intervene(checkpoint: Checkpoint, encoding: Encoding, interventions: Sequence[Intervention]) -> np.ndarray:
    """Calibrated probabilities `(N, C)` of one input under each intervention, in as few passes as memory allows.

    Raises Failure where an intervention names what is not there, or leaves nothing to read or to look at.
    """
    config = checkpoint.settings.encoder
    kept = [_kept(one, encoding, config) for one in interventions]
    lengths = np.array([len(places) for places in kept], int)
    scores = np.zeros((len(kept), config.classes))
    with torch.inference_mode():
        for batch in bucketed(lengths, max(1, CELLS // (config.heads * len(encoding.ids) ** 2))):
            chosen, places = [interventions[i] for i in batch], [kept[i] for i in batch]
            ids, segments, mask = _inputs(encoding, chosen, places)
            edit = _edit(chosen, places, mask, config)
            scores[batch] = checkpoint.encoder(ids, segments, mask, edit=edit).logits.numpy()
    return softmax(scores / checkpoint.settings.temperature, axis=1)


def all_heads(checkpoint: Checkpoint, encoding: Encoding) -> np.ndarray:
    """`(L, H)`: by how much the probability of the last class changes where that head alone is masked."""
    config = checkpoint.settings.encoder
    each = [Intervention(masked=frozenset([head])) for head in np.ndindex(config.layers, config.heads)]
    last = intervene(checkpoint, encoding, [Intervention(), *each])[:, -1]
    return (last[1:] - last[0]).reshape(config.layers, config.heads)


def found_row(checkpoint: Checkpoint, encoding: Encoding, intervention: Intervention, row: Row) -> np.ndarray:
    """What the query of a head looks at `(T,)` under all else that is changed, its own row unedited and its head unmasked.

    Aligned with the tokens of the unchanged input: removed ones have weight 0, and so has all of it where the query is
    removed. Raises Failure as `intervene` does.
    """
    layer, head, query = row
    others = {place: weights for place, weights in intervention.rows.items() if place != row}
    one = replace(intervention, masked=intervention.masked - {(layer, head)}, rows=others)
    config = checkpoint.settings.encoder
    _check_heads([(layer, head)], config)
    _check_tokens([query], encoding)
    places = _kept(one, encoding, config)
    weights = np.zeros(len(encoding.ids))
    if query in one.removed:
        return weights
    ids, segments, mask = _inputs(encoding, [one], [places])
    edit, at = _edit([one], [places], mask, config), int(np.searchsorted(places, query))

    def seen(number: int, attention: Tensor) -> Tensor:
        attention = edit(number, attention) if edit else attention
        if number == layer:
            weights[places] = attention[0, head, at].numpy()
        return attention

    with torch.inference_mode():
        checkpoint.encoder(ids, segments, mask, edit=seen)
    return weights


def _inputs(encoding: Encoding, chosen: Sequence[Intervention],
            kept: Sequence[np.ndarray]) -> tuple[Tensor, Tensor, Tensor]:
    """ids, segments and mask `(B, T)` of the tokens that are kept: those after a removed one move up."""
    ids = []
    for one in chosen:
        changed = encoding.ids.copy()
        changed[list(one.unknown)] = UNK
        ids.append(changed)
    return pad([row[places] for row, places in zip(ids, kept, strict=True)],
               [encoding.segments[places] for places in kept])


def _edit(chosen: Sequence[Intervention], kept: Sequence[np.ndarray], mask: Tensor, config: EncoderConfig) -> Edit | None:
    """What makes the attention `(B, H, T, T)` of a layer that of a batch of interventions; None where all stays as found."""
    if not any(one.masked or one.uniform or one.rows or one.blocked for one in chosen):
        return None  # and with it the fused kernel
    masked = _places([one.masked for one in chosen], config.layers)
    uniform = _places([one.uniform for one in chosen], config.layers)
    alike = mask / mask.sum(1, keepdim=True)                                 # (B, T)
    rows: list[list[tuple[int, int, int, Tensor]]] = [[] for _ in range(config.layers)]
    open_ = mask.clone()                                                     # (B, T): keys that may be looked at
    for number, (one, places) in enumerate(zip(chosen, kept, strict=True)):
        open_[number, :len(places)] = torch.from_numpy(~np.isin(places, list(one.blocked)))
        for (layer, head, query), weights in one.rows.items():
            if query not in one.removed:
                left = torch.from_numpy(np.asarray(weights, np.float32)[places])
                new = left / left.sum() if left.sum() > 0 else alike[number, :len(places)]
                rows[layer].append((number, head, int(np.searchsorted(places, query)), new))
    blocked = (open_ != mask).any(1).nonzero()[:, 0]                         # numbers in the batch

    def edit(layer: int, attention: Tensor) -> Tensor:
        attention[uniform[layer]] = alike[uniform[layer][0], None]
        for number, head, query, weights in rows[layer]:
            attention[number, head, query, :len(weights)] = weights
        if len(blocked):
            attention[blocked] = _without(attention[blocked], open_[blocked])
        attention[masked[layer]] = 0
        return attention

    return edit


def _without(attention: Tensor, open_: Tensor) -> Tensor:
    """Attention `(B, H, T, T)` to the open keys `(B, T)` alone, rows scaled back to 1; alike where nothing is left."""
    keys = open_[:, None, None].to(attention.dtype)                          # (B, 1, 1, T)
    left = attention * keys
    total = left.sum(-1, keepdim=True)
    return torch.where(total > 0, left / total, keys / keys.sum(-1, keepdim=True))


def _places(heads: Sequence[frozenset[Head]], layers: int) -> list[tuple[Tensor, Tensor]]:
    """For each layer, the numbers in the batch and the heads to which something is done: an index into its attention."""
    found = [[(number, head) for number, some in enumerate(heads) for at, head in some if at == layer]
             for layer in range(layers)]
    return [tuple(torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).unbind(1)) for pairs in found]


def _kept(one: Intervention, encoding: Encoding, config: EncoderConfig) -> np.ndarray:
    """The tokens that are not removed. Raises Failure where the intervention does not fit the input or the model."""
    count, special = len(encoding.ids), encoding.special
    _check_heads([*one.masked, *one.uniform, *((layer, head) for layer, head, _ in one.rows)], config)
    _check_tokens([*one.removed, *one.unknown, *one.blocked, *(query for *_, query in one.rows)], encoding)
    for token in sorted(one.removed | one.unknown):
        if special[token]:
            raise Failure("analysis.intervention_special", token=encoding.tokens[token], place=token + 1)
    for weights in one.rows.values():
        _check_row(np.asarray(weights), count)
    stays = np.ones(count, bool)
    stays[list(one.removed)] = False
    for segment in np.unique(encoding.segments):
        if not (stays & ~special & (encoding.segments == segment)).any():
            raise Failure("analysis.intervention_empty")
    places = np.flatnonzero(stays)
    if one.blocked.issuperset(places.tolist()):
        raise Failure("analysis.intervention_blind")
    return places


def _check_heads(heads: Iterable[Head], config: EncoderConfig) -> None:
    for layer, head in heads:
        if not (0 <= layer < config.layers and 0 <= head < config.heads):
            raise Failure("analysis.intervention_head", layer=layer + 1, head=head + 1, layers=config.layers,
                          heads=config.heads)


def _check_tokens(tokens: Iterable[int], encoding: Encoding) -> None:
    for token in tokens:
        if not 0 <= token < len(encoding.ids):
            raise Failure("analysis.intervention_token", place=token + 1, tokens=len(encoding.ids))


def _check_row(weights: np.ndarray, count: int) -> None:
    if weights.shape != (count,):
        raise Failure("analysis.intervention_row_length", found=weights.size, tokens=count)
    if not (np.isfinite(weights).all() and (weights >= 0).all() and abs(weights.sum() - 1) <= SLACK):
        raise Failure("analysis.intervention_row", total=f"{weights.sum():.4g}")
