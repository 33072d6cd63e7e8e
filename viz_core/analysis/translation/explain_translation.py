"""Explanation of a known translation: candidates for every token and all attention, in one pass.

For the model's own translation this is what it computed while decoding. For a reference it is
teacher forcing: what the model would have produced at each position, had the words before been
those of the reference.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.decoding import log_probabilities, special_ids, step
from viz_core.analysis.explain import caution_notices
from viz_core.analysis.value_norms import norms_by_kind
from viz_core.checkpoints import Checkpoint
from viz_core.models.protocol import Hook
from viz_core.models.recording import record
from viz_core.records import Encoding, Message, Translation, read_only
from viz_core.text.joining import has_han


def explain_translation(
    checkpoint: Checkpoint, source: Encoding, outputs: Sequence[int], hook: Hook | None = None
) -> Translation:
    """Record of a translation, from one forward pass.

    Args:
        outputs: The ids produced, the end last unless it was cut off; no more than the model has
            positions.
        hook: As in `models.protocol`.
    """
    T = len(outputs)
    ids = special_ids(checkpoint.model)
    complete = outputs[-1] == ids.end
    tokens = outputs[:-1] if complete else outputs
    target = checkpoint.text_encoder.decode(tokens, read=T - 1)
    inputs = *source_tensors(source), torch.from_numpy(target.ids)[None]
    recorded = record(checkpoint.model, inputs, {"values"}, hook, need_attention=True)
    output = recorded.output
    attention = {kind: weights[:, 0].contiguous().numpy() for kind, weights in output.attention.items()}
    for array in (*attention.values(), *source.arrays.values(), *target.arrays.values()):
        read_only(array)
    chances = log_probabilities(output.logits[0], ids)
    return Translation(
        checkpoint.task.name,
        checkpoint.name,
        source,
        target,
        attention,
        tuple(step(checkpoint.text_encoder, row, token) for row, token in zip(chances, outputs, strict=True)),
        complete,
        () if complete else (Message("translation.cut_off", {"count": T}),),
        value_norms=norms_by_kind(checkpoint, recorded),
    )


def source_notices(checkpoint: Checkpoint, source: Encoding) -> tuple[Message, ...]:
    """Notices about a source: the model's caution, the wrong language, and those of its encoding."""
    chinese = checkpoint.task.segmenter is None or has_han(source.texts[0])
    wrong_language = () if chinese else (Message("translation.no_chinese"),)
    return (*caution_notices(checkpoint.settings), *wrong_language, *source.notices)


def source_tensors(source: Encoding) -> tuple[Tensor, Tensor]:
    """Ids `(1, S)` and mask `(1, S)` of a source."""
    ids = torch.from_numpy(np.array(source.ids))[None]
    return ids, torch.ones_like(ids, dtype=torch.bool)
