"""Attribution patching: an estimate of every part's effect from one gradient.

Nanda 2023, https://www.neelnanda.io/mechanistic-interpretability/attribution-patching; Syed et al.
2023, section 2, https://arxiv.org/abs/2310.10348: the gradient of the target's run times what would
change.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.explain import input_tensors
from viz_core.analysis.patching.patch import Cell, point_of, record_parts
from viz_core.checkpoints import Checkpoint
from viz_core.models.recording import record, replacing
from viz_core.records import SITES, Contrast, Patching, Site


def estimate(checkpoint: Checkpoint, contrast: Contrast, sites: Sequence[Site] = SITES) -> Patching:
    """Estimate the effect of every cell of these sites.

    From one run of the source, and one of the target with its gradient.

    Raises:
        Failure: As `patch_all`.
    """
    source = record_parts(checkpoint, contrast.source)
    first = next(iter(source))
    leaf = replacing({first: lambda tensor: tensor.detach().requires_grad_()})  # weights may have no gradients
    target = record(checkpoint.model, input_tensors(contrast.target), source.keys(), leaf, gradients=True)
    logits = target.output.logits[0].double()
    difference = logits[contrast.logits[0]] - logits[contrast.logits[1]]
    places = {cell: point_of(checkpoint, cell, source) for cell in _whole(checkpoint, sites)}
    gradients = torch.autograd.grad(difference, [target[point] for point in places.values()])
    old, new = contrast.pairs.T.tolist()
    changes: dict[Site, list[Tensor]] = {site: [] for site in sites}
    for (cell, point), gradient in zip(places.items(), gradients, strict=True):
        step = source[point][0][..., old, :] - target[point].detach()[0][..., new, :]
        change = (gradient[0][..., new, :] * step).sum(-1)  # (…, K)
        changes[cell.site].append(change.sum(-1) if cell.site == "heads" else change)
    span = contrast.source_difference - contrast.target_difference
    effects = {site: torch.stack(rows).double().cpu().numpy() / span for site, rows in changes.items()}
    return Patching(contrast, effects, is_exact=False)


def _whole(checkpoint: Checkpoint, sites: Sequence[Site]) -> list[Cell]:
    """Each site of each layer, with all its heads and tokens."""
    return [Cell(site, layer) for site in sites for layer in range(checkpoint.model.config.layers)]


def agreement(exact: np.ndarray, estimated: np.ndarray) -> float | None:
    """Pearson correlation of exact and estimated effects; None if one of them does not vary."""
    if min(exact.std(), estimated.std()) == 0:
        return None
    return float(np.corrcoef(exact.ravel(), estimated.ravel())[0, 1])
