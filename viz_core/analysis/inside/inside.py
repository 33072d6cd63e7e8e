"""How an attention weight comes about and what follows from it: the computation of a head for one query, from the
embeddings to the prediction.

Scores, weights and values are those that the model used, through its hook; vectors that it does not return are computed
from its weights by steps.py. Changes to the head are carried on to the prediction by the same hook.

Shapes: Q queries, K keys, T tokens, D model width, d width of a head, C classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from viz_core.analysis.inside.blocks import model_blocks
from viz_core.analysis.inside.classifier_steps import classify
from viz_core.analysis.inside.head_changes import ChangedHead, HeadChanges, changes_hook, check_changes, reachable_keys
from viz_core.analysis.inside.inside_steps import HeadInStack, Side
from viz_core.analysis.inside.recorded_pass import RecordedPass, record_pass
from viz_core.analysis.inside.steps import entropy, head_columns
from viz_core.analysis.inside.streams import Streams, embed, numbers, run_stack, sublayer
from viz_core.checkpoints import Checkpoint
from viz_core.models.causal import CausalEncoder
from viz_core.models.encoder import Encoder, Stem
from viz_core.models.encoder_decoder import EncoderDecoder
from viz_core.models.protocol import Hook
from viz_core.records import OTHER, Encoding, Failure
from viz_core.records.inside import Inside, PredictionSteps, Unchanged
from viz_core.records.translation import Kind

CANDIDATES = 8  # next tokens that are shown, the likeliest with the changes and without


@dataclass(frozen=True)
class Selected:
    """A weight: kind of attention, layer, head, query and key, from 0."""

    kind: Kind
    layer: int
    head: int
    query: int
    key: int


@dataclass(frozen=True, eq=False)
class Passes:
    """The pass with the changes, and the same without, None if nothing is changed; the logits of each."""

    recorded: RecordedPass
    logits: np.ndarray
    original: RecordedPass | None
    original_logits: np.ndarray | None


def inside(
    checkpoint: Checkpoint,
    encoding: Encoding,
    selected: Selected,
    changes: HeadChanges | None = None,
    between_passes: Callable[[], None] = lambda: None,
) -> Inside:
    """The record of a head of an encoder that classifies. Raises Failure if the model has no such head, the input no
    such token, or a change is not possible.

    between_passes: called before each pass; what it raises ends the computation.
    """
    changes, T = changes or HeadChanges(), len(encoding.ids)
    head = selected_head(checkpoint, selected, T, T)
    check_changes(changes, head)
    model = checkpoint.model
    ids, segments = (torch.from_numpy(np.array(values))[None] for values in (encoding.ids, encoding.segments))
    mask = torch.ones_like(ids, dtype=torch.bool)
    passes = run_passes(lambda hook: model(ids, segments, mask, hook=hook).logits, head, changes, between_passes)
    embedded = embed(model.embedding, model.stem, encoding.ids, encoding.segments)
    kinds = model.attention_kinds
    streams = run_stack(model.layers, model.norm, embedded.stream, kinds, passes.recorded.contexts)
    in_stack = HeadInStack(model.layers[selected.layer], kinds, head, changes)
    side = in_stack.side(embedded, streams)
    norms = {"embedding": model.embedding.norm, "final": model.norm}
    norms |= {"stem": model.stem.norm} if isinstance(model.stem, Stem) else {}
    classes = _shown_classes(checkpoint, passes)
    prediction = _prediction(checkpoint, streams, passes.logits, classes, selected.query)
    before = None
    if passes.original:
        probabilities = checkpoint.settings.probabilities(passes.original_logits)[classes]
        before = state_before(
            passes.original,
            head,
            selected.query,
            passes.original_logits[classes],
            probabilities,
            _decide(checkpoint, probabilities),
        )
    return assemble(checkpoint, in_stack, selected, (side, side), streams, passes.recorded, norms, prediction, before)


def selected_head(checkpoint: Checkpoint, selected: Selected, queries: int, keys: int) -> ChangedHead:
    """The head that is selected. Raises Failure if the model has none with queries, keys and values, not this one, or
    if there is no such query or key."""
    require_head(checkpoint, selected.kind, selected.layer, selected.head)
    for token, tokens in ((selected.query, queries), (selected.key, keys)):
        if not 0 <= token < tokens:
            raise Failure("inside.unknown_token", position=token + 1, tokens=tokens)
    config = checkpoint.model.config
    return ChangedHead(selected.kind, selected.layer, selected.head, queries, keys, config.width // config.heads)


def require_head(checkpoint: Checkpoint, kind: Kind, layer: int, head: int) -> None:
    """Raises Failure unless the model has this head, with queries, keys and values."""
    checkpoint.require_attention()
    if not isinstance(checkpoint.model, (Encoder, EncoderDecoder)):
        raise Failure("inside.no_projections", name=f"{checkpoint.task.name}/{checkpoint.name}")
    config = checkpoint.model.config
    if kind not in checkpoint.model.attention_kinds:
        raise Failure("inside.unknown_kind", kind=kind)
    if not (0 <= layer < config.layers and 0 <= head < config.heads):
        raise Failure(
            "analysis.whatif_unknown_head", layer=layer + 1, head=head + 1, layers=config.layers, heads=config.heads
        )


def run_passes(
    run: Callable[[Hook], Tensor], head: ChangedHead, changes: HeadChanges, between_passes: Callable[[], None]
) -> Passes:
    """run: the model, with a hook -> its logits, in a batch of one. between_passes: as in `inside`."""
    place = head.kind, head.layer, head.head
    between_passes()
    original = record_pass(run, place)
    if not changes:
        return Passes(*original, None, None)
    between_passes()
    return Passes(*record_pass(run, place, changes_hook(changes, head)), *original)


def state_before(
    original: RecordedPass, head: ChangedHead, query: int, logits: np.ndarray, probabilities: np.ndarray, predicted: int
) -> Unchanged:
    """What there was before the changes."""
    weights, reachable = original.weights[query], reachable_keys(HeadChanges(), head)[query]
    context = original.contexts[head.kind, head.layer][query][head_columns(head.head, head.width)]
    return Unchanged(weights, entropy(weights, reachable), context, logits, probabilities, predicted)


def assemble(
    checkpoint: Checkpoint,
    in_stack: HeadInStack,
    selected: Selected,
    sides: tuple[Side, Side],
    streams: Streams,
    recorded: RecordedPass,
    norms: dict[str, nn.Module],
    prediction: PredictionSteps,
    before: Unchanged | None,
) -> Inside:
    """The record, from its parts. streams: of the stack of the queries. norms: those outside the layer."""
    model, config, head, (queries, keys) = checkpoint.model, checkpoint.model.config, in_stack.head, sides
    _, norm = sublayer(in_stack.layer, selected.kind)
    norms = {**norms, "attention": norm, "feedforward": in_stack.layer.feedforward_norm}
    of_head = in_stack.steps(selected.query, selected.key, queries, keys, recorded)
    sizes = {
        "L": config.layers,
        "H": config.heads,
        "Q": head.queries,
        "K": head.keys,
        "E": len(queries.embedded.sum[0]),
        "D": config.width,
        "d": head.width,
        "F": config.feedforward,
        "C": prediction.all_classes,
        "vocabulary": config.vocabulary,
        "parameters": config.parameters(),
    }
    return Inside(
        kind=selected.kind,
        layer=selected.layer,
        head=selected.head,
        norm=config.norm,
        epsilon=config.norm_epsilon,
        norms={
            name: np.stack([numbers(module.weight), numbers(module.bias)])
            for name, module in norms.items()
            if isinstance(module, nn.LayerNorm)
        },
        activation=config.activation,
        positions=getattr(config, "positions", "learned"),
        pooling=getattr(config, "pooling", None),
        sizes=sizes,
        blocks=model_blocks(model),
        query=queries.steps(selected.query),
        key=keys.steps(selected.key),
        window=keys.stream[of_head.start : of_head.start + len(of_head.keys)],
        of_head=of_head,
        of_layer=in_stack.layer_steps(selected.query, streams, recorded),
        prediction=prediction,
        unchanged=before,
    )


def lengths(streams: Streams) -> np.ndarray:
    """Euclidean norms `(L + 1, T)` of the residual streams."""
    return np.stack([np.linalg.norm(stream, axis=-1) for stream in streams.after])


def likeliest_tokens(*probabilities: np.ndarray) -> np.ndarray:
    """Ids `(c,)` of the CANDIDATES likeliest tokens, the likeliest first, of each of several distributions `(C,)`."""
    likeliest = [np.argsort(-values, kind="stable")[:CANDIDATES] for values in probabilities]
    return np.array(list(dict.fromkeys(np.concatenate(likeliest).tolist())))


def _shown_classes(checkpoint: Checkpoint, passes: Passes) -> np.ndarray:
    """The indices of the classes that are shown: all, or, where they are the tokens of a vocabulary, the likeliest."""
    if not predicts_tokens(checkpoint):
        return np.arange(len(passes.logits))
    computed = [logits for logits in (passes.logits, passes.original_logits) if logits is not None]
    return likeliest_tokens(*map(checkpoint.settings.probabilities, computed))


def predicts_tokens(checkpoint: Checkpoint) -> bool:
    """Whether the classes of an encoder are the tokens of its vocabulary, and have no labels."""
    return isinstance(checkpoint.model, CausalEncoder) and checkpoint.model.config.classes > 0


def pooled_position(model: Encoder, tokens: int) -> int:
    """The position that the classifier reads, of T tokens, where it does not read their mean."""
    return tokens - 1 if isinstance(model, CausalEncoder) else 0


def _prediction(
    checkpoint: Checkpoint, streams: Streams, logits: np.ndarray, classes: np.ndarray, query: int
) -> PredictionSteps:
    """classes: the indices of those that are shown."""
    settings, model = checkpoint.settings, checkpoint.model
    mean = model.config.pooling == "mean"
    last = pooled_position(model, len(streams.final))
    token = query if mean else last
    pooled = streams.final.mean(0) if mean else streams.final[last]
    classifier, probabilities = classify(model.classifier, pooled[None]), settings.probabilities(logits)[classes]
    labels = checkpoint.task.labels
    if predicts_tokens(checkpoint):
        labels = tuple(checkpoint.text_encoder.token(index) for index in classes.tolist())
    return PredictionSteps(
        streams=np.stack([stream[token] for stream in streams.after]),
        lengths=lengths(streams),
        pooled=pooled,
        labels=labels,
        w_classifier=classifier.weight[classes],
        b_classifier=classifier.bias[classes],
        logits=logits[classes],
        temperature=None if checkpoint.task.name == OTHER else settings.temperature,
        probabilities=probabilities,
        predicted=_decide(checkpoint, probabilities),
        all_classes=model.config.classes,
        threshold=settings.threshold,
        hidden=None if classifier.hidden is None else classifier.hidden[0],
        activated=None if classifier.activated is None else classifier.activated[0],
        activation=classifier.activation,
    )


def _decide(checkpoint: Checkpoint, probabilities: np.ndarray) -> int:
    """The predicted class; -1 without a classifier."""
    return int(checkpoint.settings.decide(probabilities)) if probabilities.size else -1
