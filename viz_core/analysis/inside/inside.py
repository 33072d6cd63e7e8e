"""How an attention weight comes about and what follows from it: the computation of a head for one query, from the
embeddings to the prediction.

Every number is what the model computed in a recorded pass. Changes to the head are carried on to the prediction by the
same pass.

Shapes: L layers, Q queries, K keys, T tokens, D model width, d width of a head, C classes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.inside.blocks import model_blocks
from viz_core.analysis.inside.head_changes import ChangedHead, HeadChanges, changes_hook, check_changes, reachable_keys
from viz_core.checkpoints import Checkpoint
from viz_core.models.anatomy import Anatomy, Linear
from viz_core.models.protocol import AttentionKind, HookPoint, LayerName, Network, OutsideName, PointName
from viz_core.models.recording import Record, record
from viz_core.records import OTHER, Encoding, Failure
from viz_core.records.inside import HeadSteps, Inside, LayerSteps, PredictionSteps, TokenSteps, Unchanged
from viz_core.records.translation import Kind

CANDIDATES = 8  # next tokens that are shown, the likeliest with the changes and without
WINDOW = 64  # keys whose vectors are included
_PARTS: tuple[PointName, ...] = ("token", "position", "segment", "overlap")


@dataclass(frozen=True)
class Selected:
    """A weight: kind of attention, layer, head, query and key, from 0."""

    kind: Kind
    layer: int
    head: int
    query: int
    key: int


@dataclass(frozen=True, eq=False)
class RecordedArrays:
    """A pass of a single input, as arrays without the axis of the batch."""

    record: Record

    def __call__(self, name: PointName, layer: int = -1, kind: AttentionKind = "self") -> np.ndarray:
        return numbers(self.record[name, layer, kind][0])

    def get(self, name: PointName, layer: int = -1, kind: AttentionKind = "self") -> np.ndarray | None:
        """None of a model that has not this point."""
        return self(name, layer, kind) if (name, layer, kind) in self.record else None

    @property
    def logits(self) -> np.ndarray:
        return numbers(self.record.output.logits[0])

    def streams(self, kind: AttentionKind, layers: int) -> np.ndarray:
        """The residual stream `(layers + 1, T, D)` before the first layer and after each."""
        after = [self("residual_after", layer, kind) for layer in range(layers)]
        return np.stack([self("residual_before", 0, kind), *after])


@dataclass(frozen=True, eq=False)
class Passes:
    """A head and the pass with its changes, and the same without, None if nothing is changed."""

    anatomy: Anatomy
    head: ChangedHead
    changes: HeadChanges
    recorded: RecordedArrays
    original: RecordedArrays | None

    @property
    def reads_out(self) -> AttentionKind:
        """The stack of whose last layer the prediction is made."""
        return "causal" if self.anatomy.decoder else "self"

    @property
    def own(self) -> AttentionKind:
        """The stack of the queries."""
        return "self" if self.head.kind == "self" else "causal"


def inside(
    checkpoint: Checkpoint,
    encoding: Encoding,
    selected: Selected,
    changes: HeadChanges | None = None,
    between_passes: Callable[[], None] = lambda: None,
) -> Inside:
    """The record of a head of an encoder that classifies.

    between_passes: called before each pass; what it raises ends the computation. Raises Failure if the model has no
    such head, the input no such token, or a change is not possible.
    """
    T = len(encoding.ids)
    passes = follow(checkpoint, input_tensors(encoding), selected, (T, T), changes, between_passes)
    classes = _shown_classes(checkpoint, passes)
    prediction = _prediction(checkpoint, passes, classes, selected.query)
    unchanged = None
    if passes.original:
        logits = passes.original.logits
        probabilities = checkpoint.settings.probabilities(logits)[classes]
        predicted = _decide(checkpoint, probabilities)
        unchanged = state_before(passes, selected.query, logits[classes], probabilities, predicted)
    return assemble(checkpoint, passes, selected, prediction, unchanged)


def input_tensors(encoding: Encoding) -> tuple[Tensor, Tensor, Tensor]:
    """ids, segments and mask of one input, `(1, T)` each."""
    ids, segments = (torch.from_numpy(np.array(values))[None] for values in (encoding.ids, encoding.segments))
    return ids, segments, torch.ones_like(ids, dtype=torch.bool)


def find_anatomy(checkpoint: Checkpoint) -> Anatomy | None:
    """None of a model that is no Transformer. Raises Failure of one from elsewhere whose parts are not known."""
    model: Network = checkpoint.model
    return model.anatomy if hasattr(type(model), "anatomy") else None


def require_head(checkpoint: Checkpoint, kind: Kind, layer: int, head: int) -> Anatomy:
    """The anatomy of a model. Raises Failure unless it has this head, with queries, keys and values."""
    checkpoint.require_attention()
    anatomy = find_anatomy(checkpoint)
    if anatomy is None:
        raise Failure("inside.no_projections", name=f"{checkpoint.task.name}/{checkpoint.name}")
    config = checkpoint.model.config
    if kind not in checkpoint.model.attention_kinds:
        raise Failure("inside.unknown_kind", kind=kind)
    if not (0 <= layer < config.layers and 0 <= head < config.heads):
        raise Failure(
            "analysis.whatif_unknown_head", layer=layer + 1, head=head + 1, layers=config.layers, heads=config.heads
        )
    return anatomy


def follow(
    checkpoint: Checkpoint,
    inputs: tuple[Tensor, ...],
    selected: Selected,
    sizes: tuple[int, int],
    changes: HeadChanges | None,
    between_passes: Callable[[], None],
) -> Passes:
    """Runs the model with the changes and without. sizes: Q, K. between_passes, and the Failures raised: as in
    `inside`."""
    anatomy = require_head(checkpoint, selected.kind, selected.layer, selected.head)
    for token, tokens in zip((selected.query, selected.key), sizes, strict=True):
        if not 0 <= token < tokens:
            raise Failure("inside.unknown_token", position=token + 1, tokens=tokens)
    head = ChangedHead(selected.kind, selected.layer, selected.head, *sizes, anatomy.width)
    changes = changes or HeadChanges()
    check_changes(changes, head)
    last = checkpoint.model.config.layers - 1
    points = {
        *get_args(OutsideName),
        "residual_before",
        "residual_middle",
        "residual_after",
        *(HookPoint(name, head.layer, kind) for name in get_args(LayerName) for kind in (head.kind, "self", "causal")),
        HookPoint("weights", last, "cross"),
    }
    model = checkpoint.model
    between_passes()
    original = RecordedArrays(record(model, inputs, points))
    if not changes:
        return Passes(anatomy, head, changes, original, None)
    between_passes()
    changed = RecordedArrays(record(model, inputs, points, changes_hook(changes, head)))
    return Passes(anatomy, head, changes, changed, original)


def state_before(
    passes: Passes, query: int, logits: np.ndarray, probabilities: np.ndarray, predicted: int
) -> Unchanged:
    """What there was before the changes. Raises ValueError if there are none."""
    if passes.original is None:
        raise ValueError("nothing was changed")
    place, head = (passes.head.layer, passes.head.kind), passes.head.head
    weights = passes.original("weights", *place)[head, query]
    reachable = reachable_keys(HeadChanges(), passes.head)[query]
    context = passes.original("context", *place)[head, query]
    return Unchanged(weights, entropy(weights, reachable), context, logits, probabilities, predicted)


def assemble(
    checkpoint: Checkpoint, passes: Passes, selected: Selected, prediction: PredictionSteps, unchanged: Unchanged | None
) -> Inside:
    """The record, from its parts."""
    anatomy, head, recorded, config = passes.anatomy, passes.head, passes.recorded, checkpoint.model.config
    stack, blocks = anatomy.stack(head.kind), model_blocks(anatomy)
    attention, feedforward = stack.layers[head.layer].attentions[head.kind], stack.layers[head.layer].feedforward
    norms = {
        "embedding": stack.embedding_norm,
        "stem": stack.stem_norm,
        "attention": attention.norm,
        "feedforward": feedforward.norm,
        "source": anatomy.stack("self").final_norm if head.kind == "cross" else None,
        "final": anatomy.stack(passes.reads_out).final_norm,
    }
    (query_stream, query_read), (key_stream, key_read) = _sides(passes)
    of_head = _head_steps(passes, selected)
    source = anatomy.encoder if head.kind == "cross" else None
    return Inside(
        kind=selected.kind,
        layer=selected.layer,
        head=selected.head,
        norm=anatomy.norm,
        epsilon=attention.norm.epsilon if attention.norm else 0.0,
        norms={name: np.stack(_weights(Linear(*norm[:2]))) for name, norm in norms.items() if norm},
        activation=anatomy.activation,
        positions=anatomy.positions,
        pooling=anatomy.pooling,
        sizes={
            "L": config.layers,
            "H": anatomy.heads,
            "Q": head.queries,
            "K": head.keys,
            "E": stack.embeddings["token"].shape[1],
            "D": attention.query.weight.shape[1],
            "d": head.width,
            "F": len(feedforward.hidden.weight),
            "C": config.classes,
            "vocabulary": config.vocabulary,
            "parameters": sum(block.parameters for block in blocks),
        },
        blocks=blocks,
        query=_token_steps(recorded, passes.own, selected.query, head.layer, query_stream, query_read),
        key=_token_steps(
            recorded,
            "self" if source else passes.own,
            selected.key,
            len(source.layers) if source else head.layer,
            key_stream,
            key_read,
        ),
        window=key_stream[of_head.start : of_head.start + WINDOW],
        of_head=of_head,
        of_layer=_layer_steps(passes, selected.query),
        prediction=prediction,
        unchanged=unchanged,
    )


def _sides(passes: Passes) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """The residual stream of the queries and of the keys and what is read of it, `(T, D)` each."""
    recorded, kind, layer = passes.recorded, passes.head.kind, passes.head.layer
    read = recorded("attention_input", layer, kind)
    if kind != "cross":
        side = recorded("residual_before", layer, kind), read
        return side, side
    source = recorded("residual_after", len(passes.anatomy.stack("self").layers) - 1), recorded("final")
    return (recorded("residual_middle", layer, "causal"), read), source


def _token_steps(
    recorded: RecordedArrays, kind: AttentionKind, token: int, layers: int, stream: np.ndarray, read: np.ndarray
) -> TokenSteps:
    """kind: of the stack of the token. layers: after how many the residual stream ends."""
    parts = {name: recorded.get(name, kind=kind) for name in _PARTS}
    convolved, stem = recorded.get("convolved", kind=kind), recorded.get("stem", kind=kind)
    return TokenSteps(
        index=token,
        parts={name: part[token] for name, part in parts.items() if part is not None},
        sum=recorded("embedding_sum", kind=kind)[token],
        embedded=recorded("embedding", kind=kind)[token],
        convolved=None if convolved is None else convolved[token],
        stem=None if stem is None else stem[token],
        streams=recorded.streams(kind, layers)[:, token],
        stream=stream[token],
        read=read[token],
    )


def _head_steps(passes: Passes, selected: Selected) -> HeadSteps:
    """The computation of the head for the query; the window contains the key."""
    head, query, place = selected.head, selected.query, (selected.layer, selected.kind)
    recorded, d = passes.recorded, np.float32(passes.head.width)
    vector, keys = recorded("queries", *place)[head, query], recorded("keys", *place)[head]
    products = keys @ vector  # (K,)
    bias, weights = recorded.get("bias", *place), recorded("weights", *place)[head, query]
    reachable = reachable_keys(passes.changes, passes.head)[query]
    start = window_start(selected.key, len(keys))
    return HeadSteps(
        query=vector,
        start=start,
        keys=keys[start : start + WINDOW],
        values=recorded("values", *place)[head, start : start + WINDOW],
        scores=products,
        scaled=products if passes.changes.unscaled else products / np.sqrt(d),
        bias=None if bias is None else bias[head, query],
        masked=np.where(reachable, recorded("scores", *place)[head, query], -np.inf).astype(np.float32),
        weights=weights,
        context=recorded("context", *place)[head, query],
        entropy=entropy(weights, reachable),
    )


def _layer_steps(passes: Passes, query: int) -> LayerSteps:
    """What the layer makes of its heads, for the query."""
    recorded, layer, kind, own = passes.recorded, passes.head.layer, passes.head.kind, passes.own
    parts = passes.anatomy.stack(kind).layers[layer]
    normed = recorded("residual_middle", layer, kind)[query]
    added = recorded.get("attention_sum", layer, kind)
    last_attention = list(parts.attentions)[-1]
    return LayerSteps(
        contexts=recorded("context", layer, kind)[:, query],
        parts=recorded("head_outputs", layer, kind)[:, query],
        b_output=_weights(parts.attentions[kind].output)[1],
        projected=recorded("attention_output", layer, kind)[query],
        added=normed if added is None else added[query],
        normed=normed,
        before=recorded("residual_middle", layer, last_attention)[query],
        read=recorded("feedforward_input", layer, own)[query],
        hidden=recorded("feedforward_hidden", layer, own)[query],
        activated=recorded("feedforward_activated", layer, own)[query],
        feedforward=recorded("feedforward_output", layer, own)[query],
        output=recorded("residual_after", layer, own)[query],
    )


def read_out(
    passes: Passes, token: int, pooled: np.ndarray, logits: np.ndarray, classes: np.ndarray, **values: Any
) -> PredictionSteps:
    """From the last layer to the probabilities. token: whose residual stream is shown. logits `(C,)`: of all classes,
    of which `classes` are shown. values: the other fields."""
    anatomy, kind = passes.anatomy, passes.reads_out
    streams = passes.recorded.streams(kind, len(anatomy.stack(kind).layers))
    weight, bias = _weights(anatomy.classifier or Linear(torch.zeros(0, len(pooled)), torch.zeros(0)))
    return PredictionSteps(
        streams=streams[:, token],
        lengths=np.linalg.norm(streams, axis=-1),
        pooled=pooled,
        w_classifier=weight[classes],
        b_classifier=bias[classes],
        logits=logits[classes],
        all_classes=len(logits),
        **values,
    )


def likeliest_tokens(*probabilities: np.ndarray) -> np.ndarray:
    """Ids `(c,)` of the CANDIDATES likeliest tokens, the likeliest first, of each of several distributions `(C,)`."""
    likeliest = [np.argsort(-values, kind="stable")[:CANDIDATES] for values in probabilities]
    return np.array(list(dict.fromkeys(np.concatenate(likeliest).tolist())))


def predicts_tokens(anatomy: Anatomy) -> bool:
    """Whether the classes of an encoder are the tokens of its vocabulary, and have no labels."""
    return anatomy.pooling == "last" and anatomy.classifier is not None


def _shown_classes(checkpoint: Checkpoint, passes: Passes) -> np.ndarray:
    """The indices of the classes that are shown: all, or, where they are the tokens of a vocabulary, the likeliest."""
    computed = [each.logits for each in (passes.recorded, passes.original) if each]
    if not predicts_tokens(passes.anatomy):
        return np.arange(len(computed[0]))
    return likeliest_tokens(*map(checkpoint.settings.probabilities, computed))


def _prediction(checkpoint: Checkpoint, passes: Passes, classes: np.ndarray, query: int) -> PredictionSteps:
    """classes: the indices of those that are shown."""
    anatomy, settings, recorded, kind = passes.anatomy, checkpoint.settings, passes.recorded, passes.reads_out
    logits = recorded.logits
    probabilities = settings.probabilities(logits)[classes]
    labels = checkpoint.task.labels
    if predicts_tokens(anatomy):
        labels = tuple(checkpoint.text_encoder.token(index) for index in classes.tolist())
    token = {"mean": query, "last": passes.head.queries - 1}.get(anatomy.pooling or "", 0)
    return read_out(
        passes,
        token,
        recorded("pooled", kind=kind) if anatomy.classifier else recorded("final", kind=kind)[token],
        logits,
        classes,
        labels=labels,
        temperature=None if checkpoint.task.name == OTHER else settings.temperature,
        probabilities=probabilities,
        predicted=_decide(checkpoint, probabilities),
        threshold=settings.threshold,
        hidden=recorded.get("classifier_hidden", kind=kind),
        activated=recorded.get("classifier_activated", kind=kind),
        activation=anatomy.classifier_activation,
    )


def _decide(checkpoint: Checkpoint, probabilities: np.ndarray) -> int:
    """The predicted class; -1 without a classifier."""
    return int(checkpoint.settings.decide(probabilities)) if probabilities.size else -1


def window_start(key: int, keys: int) -> int:
    """The first key of a window with the key in its middle, as far as there are enough on both sides."""
    return int(np.clip(key - WINDOW // 2, 0, max(0, keys - WINDOW)))


def entropy(weights: np.ndarray, reachable: np.ndarray) -> float:
    """Of weights `(K,)`, divided by that of uniform ones over the reachable keys `(K,)` bool: 0 (a single key) to 1; 0
    if a single key is reachable."""
    count = int(reachable.sum())
    positive = weights[weights > 0].astype(np.float64)
    return float(np.clip(-(positive * np.log(positive)).sum() / np.log(count), 0, 1)) if count > 1 else 0.0


def numbers(tensor: Tensor) -> np.ndarray:
    """A tensor of the model as an array, which may share its memory: not to be changed."""
    return tensor.detach().float().cpu().numpy()


def _weights(linear: Linear) -> tuple[np.ndarray, np.ndarray]:
    """Weight and bias; zeros without a bias."""
    weight = numbers(linear.weight)
    return weight, np.zeros(len(weight), np.float32) if linear.bias is None else numbers(linear.bias)


def named_weights(name: str, linear: Linear) -> Mapping[str, np.ndarray]:
    """`w_<name>` and `b_<name>`."""
    return dict(zip((f"w_{name}", f"b_{name}"), _weights(linear), strict=True))
