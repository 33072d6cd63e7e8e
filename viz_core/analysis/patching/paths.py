"""Which later heads does a head feed? Path patching.

Wang et al. 2022, "Interpretability in the Wild", section 3.1 and appendix B,
https://arxiv.org/abs/2211.00593: the sender's output is that of the source, all heads after it stay as
in the target, and feed-forwards are computed anew. What a receiver then reads (its queries, keys or
values) is put into an otherwise unchanged run of the target, which goes on with it.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.explain import input_tensors
from viz_core.analysis.patching.patch import Cell, Report, no_report, point_of, put_into, record_parts, run_patched
from viz_core.analysis.whatif import check_heads
from viz_core.checkpoints import Checkpoint
from viz_core.models.protocol import Hook, HookPoint, PointName
from viz_core.models.recording import chain, record, replacing
from viz_core.records import HEAD_INPUTS, Contrast, Failure, Paths

Receiver = tuple[HookPoint, int]  # queries, keys or values of a layer; the head


def trace_paths(
    checkpoint: Checkpoint, contrast: Contrast, sender: tuple[int, int], report: Report = no_report
) -> Paths:
    """Patch the path from a head to each input of each later head.

    Args:
        sender: Layer and head, from 0.
        report: Called before each pass with the share that is done; what it raises ends the computation.

    Raises:
        Failure: If there is no such head, no layer after its own, or the model does not show what is needed.
    """
    check_heads(checkpoint, [sender])
    config = checkpoint.model.config
    later = range(sender[0] + 1, config.layers)
    if not later:
        key = "no_later_layer" if config.layers > 1 else "one_layer"
        raise Failure(f"patching.{key}", head=f"{sender[0] + 1}.{sender[1] + 1}", layers=config.layers)
    fed = _fed(checkpoint, contrast, sender, later)
    receivers = [
        (HookPoint(name, layer, checkpoint.model.attention_kinds[0]), head)
        for name in HEAD_INPUTS
        for layer in later
        for head in range(config.heads)
    ]

    def put_in(part: Sequence[Receiver]) -> Hook:
        rows: dict[HookPoint, list[tuple[int, int]]] = {}
        for row, (point, head) in enumerate(part):
            rows.setdefault(point, []).append((row, head))

        def change(point: HookPoint, tensor: Tensor) -> Tensor:
            tensor = tensor.clone()
            for row, head in rows[point]:
                tensor[row, head] = fed[point][0, head]
            return tensor

        return Hook(change, rows.keys())

    effects = np.full((len(HEAD_INPUTS), config.layers, config.heads), np.nan)
    values = run_patched(checkpoint, contrast, receivers, put_in, report)
    effects[:, later.start :] = values.reshape(len(HEAD_INPUTS), len(later), config.heads)
    return Paths(contrast, sender, effects)


@torch.inference_mode()
def _fed(checkpoint: Checkpoint, contrast: Contrast, sender: tuple[int, int], later: range) -> dict[HookPoint, Tensor]:
    """What all later heads read `(1, H, T, d)` if only the sender's output, not that of later heads, changes."""
    source, target = (record_parts(checkpoint, text) for text in (contrast.source, contrast.target))
    frozen: dict[PointName | HookPoint, Tensor] = {}
    for layer in later:
        point = point_of(checkpoint, Cell("attention", layer), target)
        frozen[point] = target[point]
    sent = put_into(checkpoint, [Cell("heads", *sender)], source, contrast.positions)
    run = record(checkpoint.model, input_tensors(contrast.target), HEAD_INPUTS, chain(sent, replacing(frozen)))
    return dict(run.tensors)
