"""Step-by-step computation of a head for one query, from the embeddings to the prediction.

Shows how an attention weight comes about and what follows from it; for a translation, up to the
next token. Every number comes from a recorded pass of the model. Changes to the head are carried on
to the prediction by the same pass.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from viz_core.analysis.decoding import log_probabilities
from viz_core.analysis.explain import input_tensors, likeliest_tokens, token_names
from viz_core.analysis.inside.head_changes import HeadChanges
from viz_core.analysis.inside.passes import (
    Passes,
    Recall,
    Selected,
    predicts_tokens,
    record_anew,
    run_passes,
    translation_tensors,
)
from viz_core.analysis.inside.steps import ReadOut, assemble
from viz_core.checkpoints import Checkpoint
from viz_core.records import OTHER, Encoding, Translation
from viz_core.records.inside import Inside


def inside(
    checkpoint: Checkpoint,
    encoding: Encoding,
    selected: Selected,
    changes: HeadChanges | None = None,
    between_passes: Callable[[], None] = lambda: None,
    between_layers: Callable[[], None] = lambda: None,
    recall: Recall = record_anew,
) -> Inside:
    """Record a head of an encoder with a classifier.

    Args:
        between_passes: Called before each pass; what it raises ends the computation.
        between_layers: The same, before each layer of a pass.
        recall: Returns the pass of this input that recorded the layer with this kind of attention, or
            calls the function for it: without changes all its heads, queries and keys are in one pass.

    Raises:
        Failure: If the model has no such head, the input no such token, or a change is not
            possible.
    """
    T, settings = len(encoding.ids), checkpoint.settings
    waits = between_passes, between_layers
    passes = run_passes(checkpoint, input_tensors(encoding), selected, (T, T), changes, *waits, recall)
    anatomy, recorded, kind = passes.anatomy, passes.recorded, passes.reads_out
    probabilities = list(map(settings.probabilities, passes.logits))
    classes, labels = np.arange(len(probabilities[0])), checkpoint.task.labels
    if is_token := predicts_tokens(anatomy):
        classes = likeliest_tokens(*probabilities)
        labels = token_names(checkpoint, classes)
    token = {"mean": selected.query, "last": T - 1}.get(anatomy.pooling or "", 0)
    fields = {
        "labels": labels,
        "temperature": None if is_token or checkpoint.task.name == OTHER else settings.temperature,
        "threshold": settings.threshold,
        "hidden": recorded.get("classifier_hidden", kind=kind),
        "activated": recorded.get("classifier_activated", kind=kind),
        "activation": anatomy.classifier_activation,
    }
    pooled = recorded("pooled", kind=kind) if anatomy.classifier else recorded("final", kind=kind)[token]

    def decide(shown: np.ndarray) -> int:
        """-1 without a classifier."""
        return int(settings.decide(shown)) if shown.size else -1

    return assemble(checkpoint, passes, ReadOut(token, pooled, passes.logits, probabilities, classes, decide, fields))


def inside_translation(
    checkpoint: Checkpoint,
    translation: Translation,
    selected: Selected,
    changes: HeadChanges | None = None,
    between_passes: Callable[[], None] = lambda: None,
    between_layers: Callable[[], None] = lambda: None,
) -> Inside:
    """Record a head for a translation whose tokens the decoder reads all at once.

    For a head of the decoder, the prediction is that of the query; for a head of the encoder, that
    of the target token that attends to the query most.

    Args:
        between_passes, between_layers: As in `inside`.

    Raises:
        Failure: As `inside`.
    """
    sizes = len(translation.queries(selected.kind)), len(translation.keys(selected.kind))
    inputs = translation_tensors(translation)
    passes = run_passes(checkpoint, inputs, selected, sizes, changes, between_passes, between_layers, record_anew)
    position = selected.query if selected.kind != "self" else _attending_position(passes)
    logits = [rows[position] for rows in passes.logits]  # (C,) each
    probabilities = [log_probabilities(torch.from_numpy(row)).exp().numpy() for row in logits]
    candidates = likeliest_tokens(*probabilities)
    pooled = passes.recorded("final", kind="causal")[position]
    fields = {"labels": token_names(checkpoint, candidates), "temperature": None, "position": position}
    read_out = ReadOut(position, pooled, logits, probabilities, candidates, lambda shown: int(shown.argmax()), fields)
    record = assemble(checkpoint, passes, read_out)
    return replace(record, sizes={**record.sizes, "S": len(translation.source.ids), "T": len(translation.target.ids)})


def _attending_position(passes: Passes) -> int:
    """Target position that attends most to the source token of the query, without changes.

    Attention is the mean over the heads of the last layer.
    """
    weights = (passes.original or passes.recorded)("weights", len(passes.anatomy.stack("cross").layers) - 1, "cross")
    return int(weights.mean(0)[:, passes.selected.query].argmax())
