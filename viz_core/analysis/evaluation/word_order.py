"""Word-order test: what does a model predict for shuffled tokens, and without position embeddings?

Attention without positions computes the same for every order (it is equivariant to permutations,
which is why Vaswani et al. 2017, section 3.5, add positions). Models may need the order less than
expected: Sinha et al. 2021, "Masked Language Modeling and the Distributional Hypothesis", section
5, https://arxiv.org/abs/2104.06644.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import torch

from viz_core.analysis.inside.positions import missing_positions, model_positions
from viz_core.checkpoints import Checkpoint
from viz_core.models.batch import pad
from viz_core.models.protocol import Hook
from viz_core.models.recording import replacing
from viz_core.records import ORDERS, Encoding, Examples, Failure, OrderAccuracy, OrderEffects
from viz_core.statistics.intervals import paired_interval

SPECIAL_IDS = 4  # our tokenizers use the ids below this for special tokens
ATTENTION = 2**22  # weights per forward pass of one input in several orders
WITHOUT_POSITIONS = replacing({"position": torch.zeros_like})
MOST_ORDERS = 20  # random orders of an input
FEWER_ORDERS, LONG = 3, 128  # random orders of an input with more than LONG tokens


def require_positions(checkpoint: Checkpoint) -> None:
    """Raise Failure for a model that adds no position embeddings."""
    if model_positions(checkpoint) is None:
        message = missing_positions(checkpoint)
        raise Failure(message.key, **message.values)


def random_order(special: np.ndarray, segments: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Permutation `(T,)` of the positions of an input.

    Tokens move within their sentence; `special` ones, `(T,)` bool, stay where they are.
    """
    order = np.arange(len(special))
    for segment in np.unique(segments):
        positions = np.flatnonzero(~special & (segments == segment))
        order[positions] = random.permutation(positions)
    return order


def order_effects(checkpoint: Checkpoint, encoding: Encoding, seed: int = 0) -> OrderEffects:
    """Probabilities and attention of an input in random orders, with positions and without.

    Long inputs get fewer orders.

    Raises:
        Failure: For a model without position embeddings.
    """
    require_positions(checkpoint)
    random, T = np.random.default_rng(seed), len(encoding.ids)
    identity = np.arange(T)[None]
    count = FEWER_ORDERS if T > LONG else MOST_ORDERS
    # Unknown tokens stay, too, as in examples, where only the ids are known.
    fixed = encoding.special | encoding.unknown
    shuffled = np.array([random_order(fixed, encoding.segments, random) for _ in range(count)])
    probabilities, changes, before = {}, {}, None
    hooks = (None, None, WITHOUT_POSITIONS, WITHOUT_POSITIONS)
    for name, hook, orders in zip(ORDERS, hooks, (identity, shuffled) * 2, strict=True):
        predictions = list(_predict(checkpoint, encoding, orders, hook))
        probabilities[name] = checkpoint.settings.probabilities(np.array([logits for logits, _ in predictions]))
        before = predictions[0][1] if before is None else before  # the original comes first
        changes[name] = np.mean([_distance(before, attention) for _, attention in predictions], axis=0)
    return OrderEffects(checkpoint.task.labels, probabilities, {name: changes[name] for name in ORDERS[1:]})


def _predict(
    checkpoint: Checkpoint, encoding: Encoding, orders: np.ndarray, hook: Hook | None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Predict an input in each of the orders `(S, T)`.

    Returns logits `(C,)`, and attention `(L, H, T, T)` with rows and columns in the order of the
    text.
    """
    model = checkpoint.model
    rows = max(1, ATTENTION // (model.config.layers * model.config.heads * orders.shape[1] ** 2))
    for part in np.array_split(orders, -(-len(orders) // rows)):
        with torch.inference_mode():
            output = model(*pad(encoding.ids[part], [encoding.segments] * len(part)), need_attention=True, hook=hook)
        for row, order in enumerate(part):
            back = np.argsort(order)  # new position of the token at each position of the text
            yield output.logits[row].numpy(), output.own[:, row].numpy()[:, :, back[:, None], back]


def _distance(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Total variation between rows of attention `(L, H, T, T)`, as a mean over queries, `(L, H)`."""
    return np.abs(after - before).sum(-1).mean(-1) / 2


def order_accuracy(
    checkpoint: Checkpoint, examples: Examples, seeds: Sequence[int], on_pass: Callable[[], None] = lambda: None
) -> OrderAccuracy:
    """Accuracy of the original inputs, of random orders, without positions, and of both.

    Each seed draws one order per row. Intervals are bootstrap intervals over rows.

    Args:
        on_pass: Called after each pass of all rows through the model, 2 + 2 · len(seeds) times.

    Raises:
        Failure: For a model without position embeddings.
    """
    require_positions(checkpoint)
    shuffled = [_shuffle(examples, seed) for seed in seeds]

    def correct(hook: Hook | None, inputs: Sequence[Examples]) -> np.ndarray:
        shares = np.zeros(len(examples))
        for rows in inputs:
            shares += checkpoint.settings.decide(checkpoint.probabilities(rows, hook=hook)) == examples.labels
            on_pass()
        return shares / len(inputs)

    shares = np.array(
        [correct(hook, inputs) for hook in (None, WITHOUT_POSITIONS) for inputs in ([examples], shuffled)]
    )  # (4, N), in the order of ORDERS
    changes = shares - shares[0]
    counts = np.bincount(examples.labels)
    return OrderAccuracy(
        len(examples),
        tuple(seeds),
        float(counts.max() / counts.sum()),
        shares.mean(1),
        paired_interval(shares),
        changes.mean(1),
        paired_interval(changes),
    )


def _shuffle(examples: Examples, seed: int) -> Examples:
    random = np.random.default_rng(seed)
    rows = zip(examples.ids, examples.segments, strict=True)
    return replace(examples, ids=[ids[random_order(ids < SPECIAL_IDS, segments, random)] for ids, segments in rows])
