"""What would the model answer if some of it, or of its input, were otherwise?

A masked head is that of Michel et al. 2019, "Are Sixteen Heads Really Better than One?", section 2.3,
https://arxiv.org/abs/1905.10650; a uniform one that of Wiegreffe and Pinter 2019, "Attention is not not Explanation",
section 3.2, https://arxiv.org/abs/1908.04626; editing a row asks what Jain and Wallace 2019, "Attention is not Explanation",
section 4.2, https://arxiv.org/abs/1902.10186, asked with rows that were shuffled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor

from viz_core.checkpoints import Checkpoint
from viz_core.models.batch import bucketed, pad
from viz_core.models.protocol import Hook, ModelConfig, on_weights
from viz_core.records import Encoding, Failure
from viz_core.text.tokenizer import UNK

CELLS = 4 * 2**20  # weights of one layer in one pass, 16 MB: so much for each of the visitors who try at the same time
SLACK = 1e-3  # so far from 1 may an edited row sum: it is scaled to it
Head = tuple[int, int]  # layer and head, from 0
Row = tuple[int, int, int]  # layer, head and query, from 0


@dataclass(frozen=True, eq=False)
class Changes:
    """What is changed on one input; nothing, as it stands here. Tokens are numbered as in the unchanged input.

    masked: heads that give nothing to their layer. uniform: heads that attend to every token alike. rows: what a query of a
    head attends to, weights `(T,)` that sum to 1. removed: tokens masked in place, as in `removal`: nobody attends to them, the
    classifier does not read them, and the others keep their positions. deleted: tokens taken out, the others move up; that
    changes positions, too. unknown: tokens replaced by [UNK]. blocked: tokens that nobody may attend to, in every head; the
    other weights of each row are scaled back to the sum 1.
    Where several meet: a mask hides all else, an edited row replaces a uniform one, and loses what is blocked or removed.
    """

    masked: frozenset[Head] = frozenset()
    uniform: frozenset[Head] = frozenset()
    rows: Mapping[Row, np.ndarray] = field(default_factory=dict)
    removed: frozenset[int] = frozenset()
    unknown: frozenset[int] = frozenset()
    blocked: frozenset[int] = frozenset()
    deleted: frozenset[int] = frozenset()

    @property
    def heads(self) -> frozenset[Head]:
        """Those that are changed in any way."""
        return self.masked | self.uniform | {(layer, head) for layer, head, _ in self.rows}


@dataclass(frozen=True, eq=False)
class _Input:
    """An input as an intervention leaves it. places: `(K,)` its tokens in the unchanged input. ids, segments: `(K,)`. real:
    `(K,)` bool, False where a token is removed. open: `(K,)` bool, real and not blocked."""

    places: np.ndarray
    ids: np.ndarray
    segments: np.ndarray
    real: np.ndarray
    open: np.ndarray


def predict_with_changes(checkpoint: Checkpoint, encoding: Encoding, interventions: Sequence[Changes]) -> np.ndarray:
    """Calibrated probabilities `(N, C)` of one input under each intervention, in as few passes as memory allows.

    Raises Failure where an intervention names what is not there, leaves nothing to read or to attend to, or changes the
    attention of a model that has none.
    """
    config = checkpoint.model.config
    inputs = [_input(checkpoint, encoding, intervention) for intervention in interventions]
    lengths = np.array([len(given.places) for given in inputs], int)
    logits = np.zeros((len(inputs), config.classes))
    with torch.inference_mode():
        for batch in bucketed(lengths, max(1, CELLS // (max(1, config.heads) * len(encoding.ids) ** 2))):
            changes, given = [interventions[number] for number in batch], [inputs[number] for number in batch]
            tensors = _tensors(given)
            hook = _hook(changes, given, tensors[2], config)
            logits[batch] = checkpoint.model(*tensors, hook=hook).logits.numpy()
    return checkpoint.settings.probabilities(logits)


def head_effects(checkpoint: Checkpoint, encoding: Encoding) -> np.ndarray:
    """`(L, H)`: by how much the probability of the last class changes where that head alone is masked."""
    config = checkpoint.model.config
    each = [Changes(masked=frozenset([head])) for head in np.ndindex(config.layers, config.heads)]
    last = predict_with_changes(checkpoint, encoding, [Changes(), *each])[:, -1]
    return (last[1:] - last[0]).reshape(config.layers, config.heads)


def attention_row(checkpoint: Checkpoint, encoding: Encoding, intervention: Changes, row: Row) -> np.ndarray:
    """What the query of a head attends to `(T,)` under all else that is changed, its own row unedited and its head unmasked.

    Aligned with the tokens of the unchanged input: removed and deleted ones have weight 0, and so has all of it where the
    query is one of them. Raises Failure as `predict_with_changes` does.
    """
    layer, head, query = row
    others = {place: weights for place, weights in intervention.rows.items() if place != row}
    change, config = (
        replace(intervention, masked=intervention.masked - {(layer, head)}, rows=others),
        checkpoint.model.config,
    )
    _check_heads(checkpoint, [(layer, head)])
    _check_tokens([query], encoding)
    given = _input(checkpoint, encoding, change)
    weights = np.zeros(len(encoding.ids))
    if query in change.removed | change.deleted:
        return weights
    tensors = _tensors([given])
    changed, at = _changed_weights([change], [given], tensors[2], config), int(np.searchsorted(given.places, query))

    def read(number: int, attention: Tensor) -> Tensor:
        attention = changed(number, attention) if changed else attention
        if number == layer:
            weights[given.places] = attention[0, head, at].numpy()
        return attention

    with torch.inference_mode():
        checkpoint.model(*tensors, hook=on_weights(read))
    return weights


def _input(checkpoint: Checkpoint, encoding: Encoding, change: Changes) -> _Input:
    """Raises Failure where the intervention does not fit the input or the model."""
    count, special = len(encoding.ids), encoding.special
    _check_heads(checkpoint, change.heads)
    _check_tokens(
        [*change.removed, *change.deleted, *change.unknown, *change.blocked, *(query for *_, query in change.rows)],
        encoding,
    )
    if change.blocked:
        checkpoint.require_attention()
    for token in sorted(change.removed | change.deleted | change.unknown):
        if special[token]:
            raise Failure("analysis.whatif_special_token", token=encoding.tokens[token], position=token + 1)
    for weights in change.rows.values():
        _check_row(np.asarray(weights), count)
    real = ~_flags(change.removed | change.deleted, count)
    for segment in np.unique(encoding.segments):
        if not (real & ~special & (encoding.segments == segment)).any():
            raise Failure("analysis.whatif_all_removed")
    open_ = real & ~_flags(change.blocked, count)
    if not open_.any():
        raise Failure("analysis.whatif_all_blocked")
    ids = np.where(_flags(change.unknown, count), UNK, encoding.ids)
    places = np.flatnonzero(~_flags(change.deleted, count))
    return _Input(places, ids[places], encoding.segments[places], real[places], open_[places])


def _flags(tokens: Iterable[int], count: int) -> np.ndarray:
    """`(T,)` bool, True for these tokens."""
    flags = np.zeros(count, bool)
    flags[list(tokens)] = True
    return flags


def _tensors(inputs: Sequence[_Input]) -> tuple[Tensor, Tensor, Tensor]:
    """ids, segments and mask `(B, T)`; removed tokens are masked as padding is."""
    ids, segments, _ = pad([given.ids for given in inputs], [given.segments for given in inputs])
    return ids, segments, _stacked([given.real for given in inputs], ids.shape[1])


def _stacked(rows: Sequence[np.ndarray], width: int) -> Tensor:
    """`(B, width)` bool of rows that may be shorter, False behind their ends."""
    flags = np.zeros((len(rows), width), bool)
    for number, row in enumerate(rows):
        flags[number, : len(row)] = row
    return torch.from_numpy(flags)


def _hook(changes: Sequence[Changes], inputs: Sequence[_Input], mask: Tensor, config: ModelConfig) -> Hook | None:
    """None where all attention stays as it is, and with it the fused kernel."""
    change = _changed_weights(changes, inputs, mask, config)
    return change and on_weights(change)


def _changed_weights(
    changes: Sequence[Changes], inputs: Sequence[_Input], mask: Tensor, config: ModelConfig
) -> Callable[[int, Tensor], Tensor] | None:
    """What makes the attention `(B, H, T, T)` of a layer that of a batch of interventions; None where all of it stays."""
    if not any(change.heads or change.blocked for change in changes):
        return None
    masked = _places([change.masked for change in changes], config.layers)
    uniform = _places([change.uniform for change in changes], config.layers)
    alike = mask / mask.sum(1, keepdim=True)  # (B, T)
    rows: list[list[tuple[int, int, int, Tensor]]] = [[] for _ in range(config.layers)]
    for number, (change, given) in enumerate(zip(changes, inputs, strict=True)):
        for (layer, head, query), weights in change.rows.items():
            if query not in change.removed | change.deleted:
                left = torch.from_numpy(np.asarray(weights, np.float32)[given.places] * given.real)
                new = left / left.sum() if left.sum() > 0 else alike[number, : len(left)]
                rows[layer].append((number, head, int(np.searchsorted(given.places, query)), new))
    open_ = _stacked([given.open for given in inputs], mask.shape[1])  # (B, T): keys that may be attended to
    blocked = (open_ != mask).any(1).nonzero()[:, 0]  # numbers in the batch

    def changed(layer: int, attention: Tensor) -> Tensor:
        attention[uniform[layer]] = alike[uniform[layer][0], None]
        for number, head, query, weights in rows[layer]:
            attention[number, head, query, : len(weights)] = weights
        if len(blocked):
            attention[blocked] = _without(attention[blocked], open_[blocked])
        attention[masked[layer]] = 0
        return attention

    return changed


def _without(attention: Tensor, open_: Tensor) -> Tensor:
    """Attention `(B, H, T, T)` to the open keys `(B, T)` alone, rows scaled back to 1; alike where nothing is left."""
    keys = open_[:, None, None].to(attention.dtype)  # (B, 1, 1, T)
    left = attention * keys
    total = left.sum(-1, keepdim=True)
    return torch.where(total > 0, left / total, keys / keys.sum(-1, keepdim=True))


def _places(heads: Sequence[frozenset[Head]], layers: int) -> list[tuple[Tensor, Tensor]]:
    """For each layer, the numbers in the batch and the heads to which something is done: an index into its attention."""
    found = [
        [(number, head) for number, some in enumerate(heads) for at, head in some if at == layer]
        for layer in range(layers)
    ]
    return [tuple(torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).unbind(1)) for pairs in found]


def _check_heads(checkpoint: Checkpoint, heads: Iterable[Head]) -> None:
    config = checkpoint.model.config
    for layer, head in heads:
        checkpoint.require_attention()
        if not (0 <= layer < config.layers and 0 <= head < config.heads):
            raise Failure(
                "analysis.whatif_unknown_head", layer=layer + 1, head=head + 1, layers=config.layers, heads=config.heads
            )


def _check_tokens(tokens: Iterable[int], encoding: Encoding) -> None:
    for token in tokens:
        if not 0 <= token < len(encoding.ids):
            raise Failure("analysis.whatif_unknown_token", position=token + 1, tokens=len(encoding.ids))


def _check_row(weights: np.ndarray, count: int) -> None:
    if weights.shape != (count,):
        raise Failure("analysis.whatif_row_length", weights=weights.size, tokens=count)
    if not (np.isfinite(weights).all() and (weights >= 0).all() and abs(weights.sum() - 1) <= SLACK):
        raise Failure("analysis.whatif_row_weights", total=f"{weights.sum():.4g}")
