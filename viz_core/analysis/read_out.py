"""The end of a residual stream to which all parts of a model are added, and what the output layer makes of it.

Shapes: N tokens, D model width, C classes.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from viz_core.analysis.explain import input_tensors
from viz_core.checkpoints import Checkpoint
from viz_core.models.anatomy import ReadOut
from viz_core.models.protocol import Hook, HookPoint, PointName
from viz_core.records import Encoding, Failure

_TOLERANCE = 1e-3  # relative to the largest logit


def require_read_out(checkpoint: Checkpoint) -> ReadOut:
    """Return what maps the end of the residual stream to the logits.

    Raises:
        Failure: If what the parts of the model write is not simply added up to that end.
    """
    checkpoint.require_attention()
    read_out: ReadOut | None = getattr(checkpoint.model, "read_out", None)
    if read_out is None:
        raise Failure("direct.no_sum", name=checkpoint.name)
    return read_out


def record_tokens(
    checkpoint: Checkpoint, encoding: Encoding, tokens: Sequence[int], names: set[PointName]
) -> tuple[Mapping[tuple[str, int], Tensor], Tensor]:
    """Run the model and record some tokens alone, so that long texts of deep models need little memory.

    Args:
        tokens: Their places in the input.
        names: Hook points `(B, …, T, D)`; the end of the residual stream is always recorded.

    Returns:
        By name and layer `(…, N, D)`, and the logits `(C,)`.
    """
    end = HookPoint("residual_after", checkpoint.model.config.layers - 1, checkpoint.model.attention_kinds[0])
    kept: dict[tuple[str, int], Tensor] = {}

    def keep(point: HookPoint, tensor: Tensor) -> Tensor:
        kept[point.name, point.layer] = tensor[0, ..., list(tokens), :].float()
        return tensor

    output = checkpoint.model(*input_tensors(encoding), hook=Hook(keep, {*names, end}))
    return kept, output.logits[0]


def residual_streams(kept: Mapping[tuple[str, int], Tensor], layers: int) -> Tensor:
    """Stack the recorded residual stream before the first layer and after each, `(layers + 1, N, D)`."""
    return torch.stack(
        [*(kept["residual_before", layer] for layer in range(layers)), kept["residual_after", layers - 1]]
    )


def logit_factor(checkpoint: Checkpoint, read: Tensor, logits: Tensor) -> float:
    """Factor by which a model scales its logits after the output layer: 1 for most (Cohere does).

    Args:
        read: `(C,)`, of the output layer.
        logits: `(C,)`, of the model.

    Raises:
        Failure: If it does something else with them, such as bounding them (Gemma 2).
    """
    read, logits = read.double().cpu(), logits.double()
    factor = float(read @ logits / read.square().sum())
    if float((logits - factor * read).abs().max()) > _TOLERANCE * float(logits.abs().max()):
        raise Failure("direct.changed_logits", name=checkpoint.name)
    return factor
