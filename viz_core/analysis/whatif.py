"""What-if: how does the prediction change if heads are masked, attention rows edited or tokens removed?

For a model that predicts the next token, each token is a class. For a model without a classifier: how
far does the embedding of the input move?

Masked heads: Michel et al. 2019, "Are Sixteen Heads Really Better than One?", section 2.3,
https://arxiv.org/abs/1905.10650. Uniform heads: Wiegreffe and Pinter 2019, "Attention is not not
Explanation", section 3.2, https://arxiv.org/abs/1908.04626. Edited rows raise the question of Jain
and Wallace 2019, "Attention is not Explanation", section 4.2, https://arxiv.org/abs/1902.10186, who
permuted the rows. Embedding: the mean of the last layer's output over all tokens, as in Reimers and
Gurevych 2019, "Sentence-BERT", section 3, https://arxiv.org/abs/1908.10084.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from viz_core.checkpoints import Checkpoint
from viz_core.models.batch import length_batches, pad
from viz_core.models.protocol import Hook, HookPoint, ModelConfig, on_weights
from viz_core.models.recording import record
from viz_core.records import Encoding, Failure

CELLS = 4 * 2**20  # attention weights per layer and forward pass, 16 MB: several visitors may run passes at once
SLACK = 1e-3  # tolerated deviation of the sum of an edited row from 1; the row is rescaled
Head = tuple[int, int]  # layer and head, from 0
Row = tuple[int, int, int]  # layer, head and query, from 0
Classes = slice | Sequence[int]  # by their indices
ALL = slice(None)


@dataclass(frozen=True, eq=False)
class Changes:
    """The changes to a forward pass on one input, none by default.

    Tokens are numbered as in the unchanged input. Where changes overlap, masking a head overrides
    everything else; an edited row overrides a uniform one, and loses its weights on blocked or
    removed tokens.

    Attributes:
        masked: Heads whose output is set to 0.
        uniform: Heads that attend to all tokens equally.
        rows: Edited attention of single queries, weights `(T,)` that sum to 1.
        removed: Tokens masked in place, see `removal`: they receive no attention, the classifier
            ignores them, and the other tokens keep their positions.
        deleted: Tokens dropped from the input, so that later tokens move up and change position.
        unknown: Tokens replaced by [UNK].
        blocked: Tokens that may not be attended to in any head; the remaining weights of each row
            are rescaled to sum to 1.
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
        """All heads with any change."""
        return self.masked | self.uniform | {(layer, head) for layer, head, _ in self.rows}


@dataclass(frozen=True, eq=False)
class _ChangedInput:
    """An input after token changes, K tokens remaining.

    Attributes:
        positions: `(K,)` in the unchanged input.
        ids, segments: `(K,)`.
        real: `(K,)` bool, False for removed tokens.
        attendable: `(K,)` bool, neither removed nor blocked.
    """

    positions: np.ndarray
    ids: np.ndarray
    segments: np.ndarray
    real: np.ndarray
    attendable: np.ndarray


def predict_with_changes(
    checkpoint: Checkpoint,
    encoding: Encoding,
    variants: Sequence[Changes],
    between_passes: Callable[[], None] = lambda: None,
    classes: Classes = ALL,
) -> np.ndarray:
    """Calibrated probabilities `(N, C)` of one input under each of N variants.

    The variants run in as few passes as memory allows.

    Args:
        between_passes: Called before each pass; what it raises ends the computation.
        classes: Which are returned; a vocabulary of 50,000 tokens, of many variants, takes gigabytes.

    Raises:
        Failure: If a change refers to a head or token that does not exist, leaves no token to read
            or attend to, or changes the attention of a model without any.
    """
    columns = np.arange(checkpoint.model.config.classes)[classes if isinstance(classes, slice) else [*classes]]
    result = np.zeros((len(variants), len(columns)))
    with torch.inference_mode():
        for batch, tensors, hook in _passes(checkpoint, encoding, variants, between_passes):
            logits = checkpoint.model(*tensors, hook=hook).logits.double().numpy()
            result[batch] = checkpoint.settings.probabilities(logits)[:, columns]
    return result


def embedding_similarities(
    checkpoint: Checkpoint,
    encoding: Encoding,
    variants: Sequence[Changes],
    between_passes: Callable[[], None] = lambda: None,
) -> np.ndarray:
    """Cosine similarity `(N, 1)` of the embedding under each of N variants with the unchanged one.

    Removed tokens do not count in the mean.

    Args:
        between_passes: As in `predict_with_changes`.

    Raises:
        Failure: As `predict_with_changes`.
    """
    means: dict[int, np.ndarray] = {}
    with torch.inference_mode():
        for batch, (ids, segments, mask), hook in _passes(checkpoint, encoding, [Changes(), *variants], between_passes):
            hidden = checkpoint.model.encode(ids, segments, mask, hook=hook).double().cpu()  # (B, T, D)
            batch_means = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
            means |= zip(batch.tolist(), batch_means.numpy(), strict=True)
    embeddings = np.stack([means[number] for number in range(len(means))])
    directions = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    return (directions[1:] @ directions[0]).clip(-1, 1)[:, None]


def outcomes(
    checkpoint: Checkpoint,
    encoding: Encoding,
    variants: Sequence[Changes],
    between_passes: Callable[[], None] = lambda: None,
    classes: Classes = ALL,
) -> np.ndarray:
    """Effect measure of the changes, `(N, C)`: probabilities, or the similarity of the embedding.

    The similarity is for models without a classifier.

    Args:
        classes: As in `predict_with_changes`.
    """
    if checkpoint.model.config.classes:
        return predict_with_changes(checkpoint, encoding, variants, between_passes, classes)
    return embedding_similarities(checkpoint, encoding, variants, between_passes)


def head_effects(
    checkpoint: Checkpoint, encoding: Encoding, label: int = -1, between_passes: Callable[[], None] = lambda: None
) -> np.ndarray:
    """Effect of masking each head on its own, `(L, H)`.

    The change in the probability of a class, by default the last, or in the similarity of
    embeddings.
    """
    config = checkpoint.model.config
    single_heads = [Changes(masked=frozenset([head])) for head in np.ndindex(config.layers, config.heads)]
    values = outcomes(checkpoint, encoding, [Changes(), *single_heads], between_passes, [label])[:, 0]
    return (values[1:] - values[0]).reshape(config.layers, config.heads)


def _passes(
    checkpoint: Checkpoint, encoding: Encoding, variants: Sequence[Changes], between_passes: Callable[[], None]
) -> Iterator[tuple[np.ndarray, tuple[Tensor, Tensor, Tensor], Hook | None]]:
    """For each forward pass: indices of its variants; ids, segments and mask `(B, T)`; the hook for them."""
    config = checkpoint.model.config
    inputs = [_changed_input(checkpoint, encoding, changes) for changes in variants]
    lengths = np.array([len(changed.positions) for changed in inputs], int)
    cells = max(config.heads * len(encoding.ids) ** 2, config.classes)  # of one input
    for batch in length_batches(lengths, max(1, CELLS // max(1, cells))):
        between_passes()
        batch_changes, batch_inputs = [variants[number] for number in batch], [inputs[number] for number in batch]
        tensors = _tensors(batch_inputs)
        yield batch, tensors, _hook(checkpoint, batch_changes, batch_inputs, tensors[2])


def attention_row(checkpoint: Checkpoint, encoding: Encoding, changes: Changes, row: Row) -> np.ndarray:
    """Attention weights `(T,)` of a query under all other changes, the row unedited, the head unmasked.

    Aligned with the tokens of the unchanged input; removed and deleted tokens have weight 0. If the
    query itself is removed or deleted, all weights are 0.

    Raises:
        Failure: As `predict_with_changes`.
    """
    layer, head, query = row
    other_rows = {key: weights for key, weights in changes.rows.items() if key != row}
    others = replace(changes, masked=changes.masked - {(layer, head)}, rows=other_rows)
    check_heads(checkpoint, [(layer, head)])
    check_tokens([query], encoding)
    changed_input = _changed_input(checkpoint, encoding, others)
    weights = np.zeros(len(encoding.ids))
    if query in others.removed | others.deleted:
        return weights
    tensors = _tensors([changed_input])
    hook = _hook(checkpoint, [others], [changed_input], tensors[2])
    point = HookPoint("weights", layer, checkpoint.model.attention_kinds[0])
    attention = record(checkpoint.model, tensors, {point}, hook)[point]
    query_index = int(np.searchsorted(changed_input.positions, query))
    weights[changed_input.positions] = attention[0, head, query_index].float().numpy()
    return weights


def check_changes(checkpoint: Checkpoint, encoding: Encoding, changes: Changes) -> None:
    """Raise Failure like `predict_with_changes`, without a forward pass."""
    _changed_input(checkpoint, encoding, changes)


def _changed_input(checkpoint: Checkpoint, encoding: Encoding, changes: Changes) -> _ChangedInput:
    """Apply the token changes to an input.

    Raises:
        Failure: If the changes do not fit the input or the model.
    """
    count, special = len(encoding.ids), encoding.special
    check_heads(checkpoint, changes.heads)
    changed = changes.removed | changes.deleted | changes.unknown
    check_tokens([*changed, *changes.blocked, *(query for *_, query in changes.rows)], encoding)
    if changes.blocked:
        checkpoint.require_attention()
    if changes.unknown and checkpoint.text_encoder.unknown_id < 0:
        raise Failure("analysis.whatif_no_unknown")
    for token in sorted(changed):
        if special[token]:
            raise Failure("analysis.whatif_special_token", token=encoding.tokens[token], position=token + 1)
    for (*_, query), weights in changes.rows.items():
        _check_row(np.asarray(weights), count)
        if is_causal(checkpoint) and np.any(np.asarray(weights)[query + 1 :]):
            raise Failure("analysis.whatif_later_token", position=query + 1)
    real = ~_flags(changes.removed | changes.deleted, count)
    for segment in np.unique(encoding.segments):
        text = ~special & (encoding.segments == segment)
        if text.any() and not (real & text).any():
            raise Failure("analysis.whatif_all_removed")
    attendable = real & ~_flags(changes.blocked, count)
    if not attendable.any():
        raise Failure("analysis.whatif_all_blocked")
    ids = np.where(_flags(changes.unknown, count), checkpoint.text_encoder.unknown_id, encoding.ids)
    left = np.flatnonzero(~_flags(changes.deleted, count))
    return _ChangedInput(left, ids[left], encoding.segments[left], real[left], attendable[left])


def _flags(tokens: Iterable[int], count: int) -> np.ndarray:
    """Mark these tokens, `(count,)` bool."""
    flags = np.zeros(count, bool)
    flags[list(tokens)] = True
    return flags


def _tensors(inputs: Sequence[_ChangedInput]) -> tuple[Tensor, Tensor, Tensor]:
    """Ids, segments and mask `(B, T)`; removed tokens are masked like padding."""
    ids, segments, _ = pad([changed.ids for changed in inputs], [changed.segments for changed in inputs])
    return ids, segments, _stack_flags([changed.real for changed in inputs])


def _stack_flags(rows: Sequence[np.ndarray]) -> Tensor:
    """Stack rows to `(B, T)` bool, padded with False."""
    return pad_sequence([torch.from_numpy(row) for row in rows], batch_first=True)


def _hook(
    checkpoint: Checkpoint, batch: Sequence[Changes], inputs: Sequence[_ChangedInput], mask: Tensor
) -> Hook | None:
    """Hook that applies the changes; None if no attention changes, so that the fused kernel can be used."""
    if not any(changes.heads or changes.blocked for changes in batch):
        return None
    config = checkpoint.model.config
    masked = _head_flags([changes.masked for changes in batch], config)
    uniform = _head_flags([changes.uniform for changes in batch], config)
    reach = torch.ones((mask.shape[1],) * 2, dtype=torch.bool)  # (T, T) keys that each query can attend to
    if is_causal(checkpoint):
        reach = reach.tril()
    keys = mask[:, None] & reach
    uniform_rows = keys / keys.sum(-1, keepdim=True).clamp(min=1)  # (B, T, T)
    edited_rows: list[list[tuple[int, int, int, Tensor]]] = [[] for _ in range(config.layers)]
    for number, (changes, changed) in enumerate(zip(batch, inputs, strict=True)):
        for (layer, head, query), weights in changes.rows.items():
            if query not in changes.removed | changes.deleted:
                left = torch.from_numpy(np.asarray(weights, np.float32)[changed.positions] * changed.real)
                place = int(np.searchsorted(changed.positions, query))
                row = left / left.sum() if left.sum() > 0 else uniform_rows[number, place, : len(left)]
                edited_rows[layer].append((number, head, place, row))
    attendable = _stack_flags([changed.attendable for changed in inputs])
    blocked = (attendable != mask).any(1).nonzero()[:, 0]  # indices in the batch

    def change_weights(layer: int, computed: Tensor) -> Tensor:
        attention = computed.float()  # a model in memory may have half precision
        attention[uniform[layer]] = uniform_rows[uniform[layer].nonzero()[:, 0]]
        for number, head, query, weights in edited_rows[layer]:
            attention[number, head, query, : len(weights)] = weights
        if len(blocked):
            attention[blocked] = block_keys(attention[blocked], attendable[blocked], reach)
        attention[masked[layer]] = 0
        return attention.to(computed.dtype)

    return on_weights(change_weights)


def is_causal(checkpoint: Checkpoint) -> bool:
    """Whether no query of the model attends to a later key."""
    return "causal" in checkpoint.model.attention_kinds


def block_keys(attention: Tensor, attendable: Tensor, reach: Tensor | None = None) -> Tensor:
    """Restrict attention `(B, H, T, S)` to attendable keys `(B, S)`.

    Rows are rescaled to sum to 1; uniform if nothing is left, and 0 if the query reaches no such key.

    Args:
        reach: `(T, S)` bool, the keys that each query can attend to; by default all.
    """
    keys = attendable[:, None, None] if reach is None else attendable[:, None, None] & reach  # (B, 1, 1 or T, S)
    left = attention * keys
    total = left.sum(-1, keepdim=True)
    return torch.where(total > 0, left / total, keys / keys.sum(-1, keepdim=True).clamp(min=1))


def _head_flags(heads: Sequence[frozenset[Head]], config: ModelConfig) -> Tensor:
    """Selected heads of each layer, `(L, B, H)` bool."""
    flags = torch.zeros(config.layers, len(heads), config.heads, dtype=torch.bool)
    for number, selected in enumerate(heads):
        for layer, head in selected:
            flags[layer, number, head] = True
    return flags


def check_heads(checkpoint: Checkpoint, heads: Iterable[Head]) -> None:
    """Raise Failure for a head that the model does not have."""
    config = checkpoint.model.config
    for layer, head in heads:
        checkpoint.require_attention()
        if not (0 <= layer < config.layers and 0 <= head < config.heads):
            raise Failure(
                "analysis.whatif_unknown_head", layer=layer + 1, head=head + 1, layers=config.layers, heads=config.heads
            )


def check_tokens(tokens: Iterable[int], encoding: Encoding) -> None:
    """Raise Failure for a token that the input does not have."""
    for token in tokens:
        if not 0 <= token < len(encoding.ids):
            raise Failure("analysis.whatif_unknown_token", position=token + 1, tokens=len(encoding.ids))


def _check_row(weights: np.ndarray, count: int) -> None:
    if weights.shape != (count,):
        raise Failure("analysis.whatif_row_length", weights=weights.size, tokens=count)
    if not (np.isfinite(weights).all() and (weights >= 0).all() and abs(weights.sum() - 1) <= SLACK):
        raise Failure("analysis.whatif_row_weights", total=f"{weights.sum():.4g}")
