"""Steps of a recorded pass: a head's computation for one query, from the embeddings to the prediction.

Shapes: L layers, Q queries, K keys, T tokens, D model width, d width of a head, C classes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from scipy.special import entr

from viz_core.analysis.inside.blocks import model_blocks
from viz_core.analysis.inside.head_changes import HeadChanges, reachable_keys
from viz_core.analysis.inside.passes import Passes, RecordedArrays, numbers
from viz_core.analysis.inside.rotation import vectors_before_products
from viz_core.checkpoints import Checkpoint
from viz_core.models.anatomy import Linear, Norm, Stack
from viz_core.models.protocol import AttentionKind, PointName
from viz_core.records.inside import HeadSteps, Inside, LayerSteps, PredictionSteps, TokenSteps, Unchanged

WINDOW = 64  # keys whose vectors are included
_PARTS: tuple[PointName, ...] = ("token", "position", "segment", "overlap")


@dataclass(frozen=True, eq=False)
class ReadOut:
    """The prediction, and what it is read from.

    Attributes:
        token: Token whose residual stream is shown.
        pooled: Input of the classifier, `(D,)`.
        logits, probabilities: `(C,)` for each of the passes.
        classes: Indices of the classes that are shown.
        decide: Index of the predicted class among these, from their probabilities.
        fields: Further fields of the record.
    """

    token: int
    pooled: np.ndarray
    logits: list[np.ndarray]
    probabilities: list[np.ndarray]
    classes: np.ndarray
    decide: Callable[[np.ndarray], int]
    fields: dict[str, Any] = field(default_factory=dict)


class _Side(NamedTuple):
    """Origin of the queries or the keys: a stack, after so many of its layers.

    Attributes:
        stream, read: The residual stream, and what the head reads of it, `(T, D)` each.
    """

    kind: AttentionKind
    layers: int
    stream: np.ndarray
    read: np.ndarray


def assemble(checkpoint: Checkpoint, passes: Passes, read_out: ReadOut) -> Inside:
    """Record of a head."""
    anatomy, head, selected, config = passes.anatomy, passes.head, passes.selected, checkpoint.model.config
    stack, blocks = anatomy.stack(head.kind), model_blocks(anatomy)
    attention, feedforward = stack.layers[head.layer].attentions[head.kind], stack.layers[head.layer].feedforward
    norms = {
        "embedding": stack.embedding_norm,
        "stem": stack.stem_norm,
        "attention": attention.norm,
        "query": _of_head(attention.query_norm, head.head, anatomy.width),
        "key": _of_head(attention.key_norm, head.head * anatomy.key_heads // anatomy.heads, anatomy.width),
        "attention_output": attention.output_norm,
        "feedforward": feedforward.norm,
        "feedforward_output": feedforward.output_norm,
        "source": anatomy.stack("self").final_norm if head.kind == "cross" else None,
        "final": anatomy.stack(passes.reads_out).final_norm,
    }
    maps = {
        "mapping": stack.mapping,
        "query": attention.query,
        "key": attention.key,
        "value": attention.value,
        "output": attention.output,
        "gate": feedforward.gate,
        "hidden": feedforward.hidden,
        "feedforward": feedforward.output,
        "classifier": anatomy.classifier,
    }
    query_side, key_side = _sides(passes)
    of_head, rule = _head_steps(passes), anatomy.rule(head.kind, head.layer)
    norm = attention.norm or attention.output_norm
    return Inside(
        kind=selected.kind,
        layer=selected.layer,
        head=selected.head,
        norm=anatomy.norm,
        parallel=anatomy.parallel,
        centred=norm is None or norm.centred,
        learned=norm is None or norm.weight is not None,
        epsilon=norm.epsilon if norm else 0.0,
        norms={name: _weights_of_norm(norm, stack) for name, norm in norms.items() if norm},
        biases=tuple(name for name, linear in maps.items() if linear and linear.bias is not None),
        activation=anatomy.activation,
        embedding_scale=stack.embedding_scale,
        positions=anatomy.positions,
        divisor=passes.head.divisor,
        cap=rule.cap,
        sliding_window=rule.sliding_window,
        pooling=anatomy.pooling,
        sizes={
            "L": config.layers,
            "H": anatomy.heads,
            "G": anatomy.key_heads,
            "Q": head.queries,
            "K": head.keys,
            "E": stack.embeddings["token"].shape[1],
            "D": attention.query.weight.shape[-1],
            "d": anatomy.width,
            "F": len(feedforward.hidden.weight),
            "C": config.classes,
            "vocabulary": config.vocabulary,
            "parameters": sum(block.parameters for block in blocks),
        },
        blocks=blocks,
        query=_token_steps(passes.recorded, query_side, selected.query),
        key=_token_steps(passes.recorded, key_side, selected.key),
        window=key_side.stream[of_head.start : of_head.start + WINDOW],
        of_head=of_head,
        of_layer=_layer_steps(passes),
        prediction=_prediction(passes, read_out),
        unchanged=_state_before(passes, read_out),
    )


def _sides(passes: Passes) -> tuple[_Side, _Side]:
    """Sides of the queries and of the keys."""
    recorded, kind, layer = passes.recorded, passes.head.kind, passes.head.layer
    read = recorded("attention_input", layer, kind)
    if kind != "cross":
        side = _Side(kind, layer, recorded("residual_before", layer, kind), read)
        return side, side
    layers = len(passes.anatomy.stack("self").layers)
    source = _Side("self", layers, recorded("residual_after", layers - 1), recorded("final"))
    return _Side("causal", layer, recorded("residual_middle", layer, "causal"), read), source


def _token_steps(recorded: RecordedArrays, side: _Side, token: int) -> TokenSteps:
    arrays = {name: recorded.get(name, kind=side.kind) for name in (*_PARTS, "convolved", "stem")}
    rows = {name: array[token] for name, array in arrays.items() if array is not None}
    return TokenSteps(
        index=token,
        parts={name: rows[name] for name in _PARTS if name in rows},
        sum=recorded("embedding_sum", kind=side.kind)[token],
        embedded=recorded("embedding", kind=side.kind)[token],
        convolved=rows.get("convolved"),
        stem=rows.get("stem"),
        streams=np.stack([stream[token] for stream in recorded.streams(side.kind, side.layers)]),
        stream=side.stream[token],
        read=side.read[token],
    )


def _head_steps(passes: Passes) -> HeadSteps:
    """Computation of the head for the query; the window contains the key."""
    selected, recorded = passes.selected, passes.recorded
    head, query, place = selected.head, selected.query, (selected.layer, selected.kind)
    cap = passes.anatomy.rule(selected.kind, selected.layer).cap
    vector, keys = recorded("queries", *place)[head, query], recorded("keys", *place)[head]
    products = keys @ vector  # (K,)
    scaled = products if passes.changes.unscaled else products / np.sqrt(np.float32(passes.head.divisor))
    bias, weights = recorded.get("bias", *place), recorded("weights", *place)[head, query]
    reachable = reachable_keys(passes.changes, passes.head)[query]
    start = window_start(selected.key, len(keys))
    window = slice(start, start + WINDOW)
    return HeadSteps(
        query=vector,
        start=start,
        keys=keys[window],
        values=recorded("values", *place)[head, window],
        scores=products,
        scaled=scaled,
        capped=cap * np.tanh(scaled / cap) if cap else None,
        bias=None if bias is None else bias[head, query],
        masked=np.where(reachable, recorded("scores", *place)[head, query], -np.inf).astype(np.float32),
        weights=weights,
        context=recorded("context", *place)[head, query],
        entropy=entropy(weights, reachable),
        **vectors_before_products(passes, window),
    )


def _layer_steps(passes: Passes) -> LayerSteps:
    """How the layer combines its heads, for the query."""
    layer, kind, own, query = passes.head.layer, passes.head.kind, passes.own, passes.selected.query
    parts, recorded = passes.anatomy.stack(kind).layers[layer], passes.recorded

    def of_query(name: PointName, kind: AttentionKind) -> np.ndarray | None:
        tensor = recorded.get(name, layer, kind)
        return None if tensor is None else tensor[query]

    middle, before = of_query("residual_middle", kind), of_query("residual_middle", list(parts.attentions)[-1])
    added = of_query("attention_sum", kind)
    return LayerSteps(
        contexts=recorded("context", layer, kind)[:, query],
        parts=recorded("head_outputs", layer, kind)[:, query],
        b_output=weights_of(parts.attentions[kind].output)[1],
        projected=recorded("attention_output", layer, kind)[query],
        attention_normed=of_query("attention_normed", kind),
        added=middle if added is None else added,
        normed=middle,
        before=recorded("residual_before", layer, own)[query] if before is None else before,
        read=recorded("feedforward_input", layer, own)[query],
        hidden=recorded("feedforward_hidden", layer, own)[query],
        activated=recorded("feedforward_activated", layer, own)[query],
        feedforward=recorded("feedforward_output", layer, own)[query],
        feedforward_normed=of_query("feedforward_normed", own),
        output=recorded("residual_after", layer, own)[query],
        gate=of_query("feedforward_gate", own),
    )


def _prediction(passes: Passes, read_out: ReadOut) -> PredictionSteps:
    """From the last layer to the probabilities."""
    anatomy, kind, classes = passes.anatomy, passes.reads_out, read_out.classes
    streams = passes.recorded.streams(kind, len(anatomy.stack(kind).layers))
    weight, bias = weights_of(anatomy.classifier or Linear(torch.zeros(0, len(read_out.pooled)), torch.zeros(0)))
    probabilities, uncapped = read_out.probabilities[0][classes], passes.recorded.get("uncapped", kind=kind)
    return PredictionSteps(
        streams=np.stack([stream[read_out.token] for stream in streams]),
        lengths=np.stack([np.linalg.norm(stream, axis=-1) for stream in streams]),
        pooled=read_out.pooled,
        w_classifier=weight[classes],
        b_classifier=bias[classes],
        uncapped=None if uncapped is None else uncapped[-1, classes],
        cap=anatomy.logit_cap,
        logits=read_out.logits[0][classes],
        probabilities=probabilities,
        predicted=read_out.decide(probabilities),
        all_classes=len(read_out.logits[0]),
        **read_out.fields,
    )


def _state_before(passes: Passes, read_out: ReadOut) -> Unchanged | None:
    """State without the changes."""
    if passes.original is None:
        return None
    place, head, query = (passes.head.layer, passes.head.kind), passes.head.head, passes.selected.query
    weights = passes.original("weights", *place)[head, query]
    reachable = reachable_keys(HeadChanges(), passes.head)[query]
    context = passes.original("context", *place)[head, query]
    logits, probabilities = (values[1][read_out.classes] for values in (read_out.logits, read_out.probabilities))
    return Unchanged(
        weights, entropy(weights, reachable), context, logits, probabilities, read_out.decide(probabilities)
    )


def window_start(key: int, keys: int) -> int:
    """First key of a window centred on the key, as far as there are enough keys on both sides."""
    return int(np.clip(key - WINDOW // 2, 0, max(0, keys - WINDOW)))


def entropy(weights: np.ndarray, reachable: np.ndarray) -> float:
    """Normalised entropy of weights `(K,)`: divided by that of uniform weights over the reachable keys.

    From 0 (all weight on one key) to 1; 0 if only one key is reachable.

    Args:
        reachable: `(K,)` bool.
    """
    count = int(reachable.sum())
    return float(np.clip(entr(weights.astype(np.float64)).sum() / np.log(count), 0, 1)) if count > 1 else 0.0


def _of_head(norm: Norm | None, head: int, width: int) -> Norm | None:
    """The part of a normalisation that is of one head, if all heads are normalised together."""
    if norm is None or norm.weight is None or norm.width == width:
        return norm
    part = slice(head * width, (head + 1) * width)
    return norm._replace(weight=norm.weight[part], bias=None if norm.bias is None else norm.bias[part])


def _weights_of_norm(norm: Norm, stack: Stack) -> np.ndarray:
    """Weight and bias `(2, D)`; 1 and 0 without them."""
    weight = torch.ones(stack.layers[0].feedforward.hidden.weight.shape[-1]) if norm.weight is None else norm.weight
    return np.stack(weights_of(Linear(weight, norm.bias)))


def weights_of(linear: Linear) -> tuple[np.ndarray, np.ndarray]:
    """Weight and bias; zeros without a bias."""
    weight = numbers(linear.weight)
    return weight, np.zeros(len(weight), np.float32) if linear.bias is None else numbers(linear.bias)
