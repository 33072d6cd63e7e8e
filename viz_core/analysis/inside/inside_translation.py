"""How an attention weight of a translation comes about: of the encoder, of the causal attention or of the
cross-attention, and what follows from it for the next token.

Shapes: S source tokens, T target tokens, C tokens of the vocabulary, c candidates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from viz_core.analysis.inside.head_changes import HeadChanges, check_changes
from viz_core.analysis.inside.inside import (
    Passes,
    Selected,
    assemble,
    lengths,
    likeliest_tokens,
    run_passes,
    selected_head,
    state_before,
)
from viz_core.analysis.inside.inside_steps import HeadInStack, Side
from viz_core.analysis.inside.streams import Streams, embed_translation, numbers, run_stack
from viz_core.analysis.translation.explain_translation import log_probabilities, source_tensors
from viz_core.checkpoints import Checkpoint
from viz_core.records import Translation
from viz_core.records.inside import Inside, PredictionSteps


def inside_translation(
    checkpoint: Checkpoint,
    translation: Translation,
    selected: Selected,
    changes: HeadChanges | None = None,
    between_passes: Callable[[], None] = lambda: None,
) -> Inside:
    """The record of a head for a translation, all of whose tokens the decoder reads at once. Of the decoder, the
    prediction is that of the query; of the encoder, that of the token which attends to it most. between_passes, and the
    Failures raised: as in `inside`."""
    changes, model = changes or HeadChanges(), checkpoint.model
    head = selected_head(checkpoint, selected, *(len(side.ids) for side in translation.sides(selected.kind)))
    check_changes(changes, head)
    source, target = translation.source, torch.from_numpy(np.array(translation.target.ids))[None]
    source_ids = source_tensors(source)
    passes = run_passes(lambda hook: model(*source_ids, target, hook=hook).logits, head, changes, between_passes)
    contexts = passes.recorded.contexts
    read = embed_translation(model.token_embedding, model.source_positions, source.ids)
    encoder = run_stack(model.encoder_layers, model.encoder_norm, read.stream, ("self",), contexts)
    written = embed_translation(model.token_embedding, model.target_positions, translation.target.ids)
    decoder = run_stack(model.decoder_layers, model.decoder_norm, written.stream, ("causal", "cross"), contexts)
    if selected.kind == "self":
        in_stack = HeadInStack(model.encoder_layers[selected.layer], ("self",), head, changes)
        sides, norms = (in_stack.side(read, encoder),) * 2, {"embedding": model.source_positions.norm}
    else:
        in_stack = HeadInStack(model.decoder_layers[selected.layer], ("causal", "cross"), head, changes)
        own = in_stack.side(written, decoder)
        of_source = Side(read, encoder.after, encoder.after[-1], encoder.final)
        sides, norms = (own, of_source if selected.kind == "cross" else own), {"embedding": model.target_positions.norm}
        norms |= {"source": model.encoder_norm} if selected.kind == "cross" else {}
    position = selected.query if selected.kind != "self" else _attending_position(passes, selected.query)
    candidates = _candidates(passes, position)
    prediction = _prediction(checkpoint, decoder, passes.logits[position], candidates, position)
    before = None
    if passes.original:
        original = passes.original_logits[position]
        before = state_before(
            passes.original, head, selected.query, original[candidates], _probabilities(original)[candidates], 0
        )
        before = replace(before, predicted=int(before.probabilities.argmax()))
    norms["final"] = model.decoder_norm
    record = assemble(
        checkpoint,
        in_stack,
        selected,
        sides,
        encoder if selected.kind == "self" else decoder,
        passes.recorded,
        norms,
        prediction,
        before,
    )
    return replace(record, sizes={**record.sizes, "S": len(source.ids), "T": len(translation.target.ids)})


def _attending_position(passes: Passes, token: int) -> int:
    """The position of the target that attends most to a source token without changes, in the mean over the heads of the
    last layer."""
    return int((passes.original or passes.recorded).last["cross"].mean(0)[:, token].argmax())


def _candidates(passes: Passes, position: int) -> np.ndarray:
    """Ids `(c,)` of the likeliest next tokens, the likeliest first, and of those that were so without the changes."""
    both = (passes.logits, passes.original_logits)
    return likeliest_tokens(*(_probabilities(logits[position]) for logits in both if logits is not None))


def _probabilities(logits: np.ndarray) -> np.ndarray:
    """Of the next token `(C,)`, 0 for those that are never produced."""
    return log_probabilities(torch.from_numpy(logits)).exp().numpy()


def _prediction(
    checkpoint: Checkpoint, decoder: Streams, logits: np.ndarray, candidates: np.ndarray, position: int
) -> PredictionSteps:
    model = checkpoint.model
    return PredictionSteps(
        streams=np.stack([stream[position] for stream in decoder.after]),
        lengths=lengths(decoder),
        pooled=decoder.final[position],
        labels=tuple(checkpoint.text_encoder.token(index) for index in candidates.tolist()),
        w_classifier=numbers(model.token_embedding.weight)[candidates],
        b_classifier=numbers(model.output_bias)[candidates],
        logits=logits[candidates],
        temperature=None,
        probabilities=_probabilities(logits)[candidates],
        predicted=0,
        all_classes=model.config.vocabulary,
        position=position,
    )
