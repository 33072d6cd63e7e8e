"""How a translation comes about: its tokens one by one, each as soon as it is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import torch

from viz_core.analysis.translation.explain_translation import source_tensors, step
from viz_core.analysis.translation.translating import special_ids
from viz_core.checkpoints import Checkpoint
from viz_core.models.decoding import Pick, likeliest, steps
from viz_core.models.protocol import Hook
from viz_core.records import Encoding, Step


@torch.inference_mode()  # entered anew for every step: each may be computed by another thread
def translate_stepwise(
    checkpoint: Checkpoint,
    source: Encoding,
    pick: Pick = likeliest,
    forced: Mapping[int, int] | None = None,
    hook: Hook | None = None,
    limit: int | None = None,
) -> Iterator[Step]:
    """The steps of a translation, until its end or `limit` tokens, by default as many as the model has positions for.

    pick: `decoding.likeliest` or a `decoding.sampler`. forced: position, from 0, -> the id that is taken there whatever
    its probability, so that decoding goes on from a prefix, or after a wrong word. hook: as in `models.protocol`.
    """
    model = checkpoint.model
    source_ids, mask = source_tensors(source)
    state = model.start(source_ids, mask, hook)
    limit = min(limit or model.config.max_tokens, model.config.max_tokens - 1)
    ids = special_ids(model)
    for chances, token in steps(partial(model.advance, hook=hook), state, ids, limit, pick, forced or {}):
        yield step(checkpoint.text_encoder, chances, token)
