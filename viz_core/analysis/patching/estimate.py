"""Attribution patching: an estimate of every part's effect from one gradient.

Nanda 2023, https://www.neelnanda.io/mechanistic-interpretability/attribution-patching; Syed et al.
2023, section 2, https://arxiv.org/abs/2310.10348: the gradient of the target's run times what would
change.
"""

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.explain import input_tensors
from viz_core.analysis.patching.patch import Cell, point_of, record_parts
from viz_core.checkpoints import Checkpoint
from viz_core.models.recording import record, replacing
from viz_core.records import SITES, Contrast, Patching


def estimate(checkpoint: Checkpoint, contrast: Contrast) -> Patching:
    """Estimate the effect of every cell from one run of the source, and one of the target with its gradient."""
    source = record_parts(checkpoint, contrast.source)
    first = point_of(checkpoint, Cell("residual", 0), source)
    leaf = replacing({first: lambda tensor: tensor.detach().requires_grad_()})  # weights may have no gradients
    target = record(checkpoint.model, input_tensors(contrast.target), source.keys(), leaf, gradients=True)
    logits = target.output.logits[0].double()
    difference = logits[contrast.logits[0]] - logits[contrast.logits[1]]
    points = list(source)
    gradients = dict(zip(points, torch.autograd.grad(difference, [target[point] for point in points]), strict=True))
    old, new = contrast.pairs.T.tolist()

    def change(cell: Cell) -> Tensor:
        """Change of the difference by the part, `(…, K)`."""
        point = point_of(checkpoint, cell, source)
        step = source[point][0][..., old, :] - target[point].detach()[0][..., new, :]
        return (gradients[point][0][..., new, :] * step).sum(-1)

    layers = range(checkpoint.model.config.layers)
    changes = {site: torch.stack([change(Cell(site, layer)) for layer in layers]) for site in SITES}
    changes["heads"] = changes["heads"].sum(-1)
    span = contrast.source_difference - contrast.target_difference
    effects = {site: values.double().cpu().numpy() / span for site, values in changes.items()}
    return Patching(contrast, effects, is_exact=False)


def agreement(exact: np.ndarray, estimated: np.ndarray) -> float | None:
    """Pearson correlation of exact and estimated effects; None if one of them does not vary."""
    if min(exact.std(), estimated.std()) == 0:
        return None
    return float(np.corrcoef(exact.ravel(), estimated.ravel())[0, 1])
