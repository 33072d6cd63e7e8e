"""How an attention weight of a translation comes about: of the encoder, of the causal attention or of the
cross-attention, and what follows from it for the next token.

Shapes: S source tokens, T target tokens, C tokens of the vocabulary, c candidates.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.inside.head_changes import HeadChanges
from viz_core.analysis.inside.inside import Passes, Selected, assemble, follow, likeliest_tokens, read_out, state_before
from viz_core.analysis.translation.explain_translation import log_probabilities, source_tensors
from viz_core.checkpoints import Checkpoint
from viz_core.records import Translation
from viz_core.records.inside import Inside


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
    queries, keys = (len(side.ids) for side in translation.sides(selected.kind))
    passes = follow(checkpoint, translation_tensors(translation), selected, (queries, keys), changes, between_passes)
    position = selected.query if selected.kind != "self" else _attending_position(passes, selected.query)
    rows = [each.logits[position] for each in (passes.recorded, passes.original) if each]  # (C,) each
    chances = [_probabilities(row) for row in rows]
    candidates = likeliest_tokens(*chances)
    prediction = read_out(
        passes,
        position,
        passes.recorded("final", kind="causal")[position],
        rows[0],
        candidates,
        labels=tuple(checkpoint.text_encoder.token(index) for index in candidates.tolist()),
        temperature=None,
        probabilities=chances[0][candidates],
        predicted=0,
        position=position,
    )
    unchanged = None
    if passes.original:
        before = chances[1][candidates]
        unchanged = state_before(passes, selected.query, rows[1][candidates], before, int(before.argmax()))
    inside = assemble(checkpoint, passes, selected, prediction, unchanged)
    sizes = {"S": len(translation.source.ids), "T": len(translation.target.ids)}
    return replace(inside, sizes={**inside.sizes, **sizes})


def translation_tensors(translation: Translation) -> tuple[Tensor, Tensor, Tensor]:
    """Ids of the source `(1, S)`, its mask, and ids of the target `(1, T)`."""
    return *source_tensors(translation.source), torch.from_numpy(np.array(translation.target.ids))[None]


def _attending_position(passes: Passes, token: int) -> int:
    """The position of the target that attends most to a source token without changes, in the mean over the heads of the
    last layer."""
    last = len(passes.anatomy.stack("cross").layers) - 1
    return int((passes.original or passes.recorded)("weights", last, "cross").mean(0)[:, token].argmax())


def _probabilities(logits: np.ndarray) -> np.ndarray:
    """Of the next token `(C,)`, 0 for those that are never produced."""
    return log_probabilities(torch.from_numpy(logits)).exp().numpy()
