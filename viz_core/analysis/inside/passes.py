"""Recorded passes of a model, with the changes to a head and without.

Shapes: S source tokens, T tokens (of a translation: target tokens), Q queries, K keys, D model
width, C classes.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from torch import Tensor

from viz_core.analysis.explain import input_tensors
from viz_core.analysis.inside.head_changes import ChangedHead, HeadChanges, changes_hook, check_changes, check_token
from viz_core.analysis.whatif import check_heads
from viz_core.checkpoints import Checkpoint
from viz_core.models.anatomy import Anatomy
from viz_core.models.protocol import AttentionKind, Hook, HookPoint, LayerName, Network, OutsideName, PointName
from viz_core.models.recording import Record, calling, chain, record
from viz_core.records import Failure, Translation
from viz_core.records.translation import Kind


@dataclass(frozen=True)
class Selected:
    """A selected weight: kind of attention, layer, head, query and key, from 0."""

    kind: Kind
    layer: int
    head: int
    query: int
    key: int


@dataclass(frozen=True, eq=False)
class RecordedArrays:
    """A recorded pass of a single input, as arrays without the batch axis."""

    record: Record

    def __call__(self, name: PointName, layer: int = -1, kind: AttentionKind = "self") -> np.ndarray:
        """Array recorded at a point."""
        return numbers(self.record[name, layer, kind][0])

    def get(self, name: PointName, layer: int = -1, kind: AttentionKind = "self") -> np.ndarray | None:
        """Array recorded at a point, or None if the model has no such point."""
        return self(name, layer, kind) if (name, layer, kind) in self.record else None

    @property
    def logits(self) -> np.ndarray:
        """Logits of the pass."""
        return numbers(self.record.output.logits[0])

    @property
    def nbytes(self) -> int:
        """Memory of the tensors; some share it."""
        storages = (tensor.untyped_storage() for tensor in self.record.values())
        return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())

    def streams(self, kind: AttentionKind, layers: int) -> list[np.ndarray]:
        """Residual stream before the first layer and after each, `layers + 1` times `(T, D)`."""
        return [self("residual_before", 0, kind), *(self("residual_after", layer, kind) for layer in range(layers))]


@dataclass(frozen=True, eq=False)
class Passes:
    """The pass with the changes to a head, and the original without them (None if nothing is changed)."""

    anatomy: Anatomy
    selected: Selected
    head: ChangedHead
    changes: HeadChanges
    recorded: RecordedArrays
    original: RecordedArrays | None

    @property
    def logits(self) -> list[np.ndarray]:
        """Logits of both passes, or of the only one."""
        return [each.logits for each in (self.recorded, self.original) if each]

    @property
    def reads_out(self) -> AttentionKind:
        """Stack whose last layer makes the prediction."""
        return "causal" if self.anatomy.decoder else "self"

    @property
    def own(self) -> AttentionKind:
        """Stack of the queries."""
        return "self" if self.head.kind == "self" else "causal"


Recall = Callable[[Kind, int, Callable[[], RecordedArrays]], RecordedArrays]


def record_anew(kind: Kind, layer: int, run: Callable[[], RecordedArrays]) -> RecordedArrays:
    """Record a pass without changes, whether or not this layer of the input was recorded before."""
    return run()


def run_passes(
    checkpoint: Checkpoint,
    inputs: tuple[Tensor, ...],
    selected: Selected,
    sizes: tuple[int, int],
    changes: HeadChanges | None,
    between_passes: Callable[[], None],
    between_layers: Callable[[], None],
    recall: Recall,
) -> Passes:
    """Run the model with the changes and without.

    Args:
        sizes: Q, K.
        between_passes, between_layers, recall: As in `inside`.

    Raises:
        Failure: As `inside`.
    """
    anatomy = require_head(checkpoint, selected.kind, selected.layer, selected.head)
    for token, tokens in zip((selected.query, selected.key), sizes, strict=True):
        check_token(token, tokens)
    divisor, _, sliding_window = anatomy.rule(selected.kind, selected.layer)
    head = ChangedHead(selected.kind, selected.layer, selected.head, *sizes, divisor or 0, sliding_window)
    changes = changes or HeadChanges()
    check_changes(changes, replace(head, sliding_window=_narrowest(anatomy, head)) if changes.everywhere else head)
    kinds: set[AttentionKind] = {head.kind, "self", "causal"}
    points = {
        *get_args(OutsideName),
        "residual_after",
        *(HookPoint("residual_before", 0, kind) for kind in kinds),
        *(HookPoint(name, head.layer, kind) for name in get_args(LayerName) if name != "scaled" for kind in kinds),
        HookPoint("residual_middle", head.layer, "cross"),
        HookPoint("weights", checkpoint.model.config.layers - 1, "cross"),
    }
    checking = calling(between_layers)

    def run(hook: Hook) -> RecordedArrays:
        between_passes()
        return RecordedArrays(record(checkpoint.model, inputs, points, hook))

    original = recall(selected.kind, selected.layer, lambda: run(checking))
    if not changes:
        return Passes(anatomy, selected, head, changes, original, None)
    return Passes(anatomy, selected, head, changes, run(chain(checking, changes_hook(changes, head))), original)


def _narrowest(anatomy: Anatomy, head: ChangedHead) -> int | None:
    """Smallest window of a layer."""
    layers = range(len(anatomy.stack(head.kind).layers))
    return min(filter(None, (anatomy.rule(head.kind, layer).sliding_window for layer in layers)), default=None)


def find_anatomy(checkpoint: Checkpoint) -> Anatomy | None:
    """Anatomy of a Transformer; None for other models.

    Raises:
        Failure: For a model from elsewhere whose parts are not known.
    """
    model: Network = checkpoint.model
    return model.anatomy if hasattr(type(model), "anatomy") else None


def require_head(checkpoint: Checkpoint, kind: Kind, layer: int, head: int) -> Anatomy:
    """Anatomy of a model that has this head.

    Raises:
        Failure: If there is no such head with queries, keys and values.
    """
    checkpoint.require_attention()
    anatomy = find_anatomy(checkpoint)
    if anatomy is None:
        raise Failure("inside.no_projections", name=f"{checkpoint.task.name}/{checkpoint.name}")
    if kind not in checkpoint.model.attention_kinds:
        raise Failure("inside.unknown_kind", kind=kind)
    check_heads(checkpoint, [(layer, head)])
    return anatomy


def predicts_tokens(anatomy: Anatomy) -> bool:
    """Whether the classes of an encoder are the tokens of its vocabulary, without labels."""
    return anatomy.pooling == "last" and anatomy.classifier is not None


def translation_tensors(translation: Translation) -> tuple[Tensor, Tensor, Tensor]:
    """Source ids `(1, S)`, their mask, and target ids `(1, T)`."""
    ids, _, mask = input_tensors(translation.source)
    return ids, mask, input_tensors(translation.target)[0]


def numbers(tensor: Tensor) -> np.ndarray:
    """A tensor of the model as an array; they may share memory, so do not change it."""
    return tensor.detach().float().cpu().numpy()
