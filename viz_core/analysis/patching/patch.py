"""Which part carries the difference between two inputs? Activation patching, exact and estimated.

A part's numbers are taken from the run of one input (the source) and put into the run of another (the
target); the rest of that run goes on with them. Meng et al. 2022, "Locating and Editing Factual
Associations in GPT", section 2.1, https://arxiv.org/abs/2202.05262; Wang et al. 2022,
"Interpretability in the Wild", section 3, https://arxiv.org/abs/2211.00593. The estimate is
attribution patching (Nanda 2023; Syed et al. 2023, section 2, https://arxiv.org/abs/2310.10348): the
gradient of the target's run times what would change. How to read both: Heimersheim and Nanda 2024,
https://arxiv.org/abs/2404.15255.

Shapes: L layers, H heads, K tokens that correspond, N cells.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.explain import input_tensors
from viz_core.analysis.whatif import CELLS
from viz_core.checkpoints import Checkpoint
from viz_core.models.protocol import Hook, HookPoint, Network, PointName
from viz_core.models.recording import record, replacing
from viz_core.records import SITES, Contrast, Encoding, Failure, Patching, Site

# Where a family normalises what a part adds, what is added is what comes after.
_POINTS: dict[Site, tuple[PointName, ...]] = {
    "residual": ("residual_before",),
    "attention": ("attention_normed", "attention_output"),
    "feedforward": ("feedforward_normed", "feedforward_output"),
    "heads": ("context",),
}
Pairs = Sequence[tuple[int, int]]  # positions in source and target


@dataclass(frozen=True)
class Cell:
    """A part of the model whose numbers are patched.

    Attributes:
        layer: From 0; of the residual stream that before the layer.
        head: From 0; None unless the site is `heads`.
        pair: Number of the pair of tokens; None for all of them.
    """

    site: Site
    layer: int
    head: int | None = None
    pair: int | None = None


def cells_of(checkpoint: Checkpoint, contrast: Contrast, site: Site) -> list[Cell]:
    """Cells of a site, in the order of `Patching.effects`."""
    config, pairs = checkpoint.model.config, range(len(contrast.pairs))
    if site == "heads":
        return [Cell(site, layer, head) for layer, head in np.ndindex(config.layers, config.heads)]
    return [Cell(site, layer, pair=pair) for layer in range(config.layers) for pair in pairs]


def patch_all(
    checkpoint: Checkpoint,
    contrast: Contrast,
    sites: Sequence[Site] = SITES,
    between_passes: Callable[[], None] = lambda: None,
) -> Patching:
    """Patch every cell of these sites.

    Args:
        between_passes: Called before each pass; what it raises ends the computation.

    Raises:
        Failure: If the model does not show one of them.
    """
    effects = {}
    for site in sites:
        cells = cells_of(checkpoint, contrast, site)
        values = patch(checkpoint, contrast, cells, between_passes)
        effects[site] = values.reshape(checkpoint.model.config.layers, -1)
    return Patching(contrast, effects, is_exact=True)


def patch(
    checkpoint: Checkpoint,
    contrast: Contrast,
    cells: Sequence[Cell],
    between_passes: Callable[[], None] = lambda: None,
    source: Encoding | None = None,
) -> np.ndarray:
    """Effect of each cell, `(N,)`: 0 if the run stays like that of the target, 1 if it becomes like the source's.

    Args:
        between_passes: As in `patch_all`.
        source: Another text whose numbers are put in, position by position as far as it reaches: the
            control, whose effect says how much any other numbers would do.
    """
    pairs: Pairs = [(old, new) for old, new in contrast.pairs.tolist()]
    if source is not None:
        pairs = [(min(new, len(source.ids) - 1), new) for _, new in pairs]
    recorded = _record(checkpoint, contrast.source if source is None else source)
    inputs, config = input_tensors(contrast.target), checkpoint.model.config
    rows = max(1, CELLS // max(1, config.heads * len(contrast.target.ids) ** 2, config.classes))
    differences = np.zeros(len(cells))
    with torch.inference_mode():
        for start in range(0, len(cells), rows):
            between_passes()
            part = cells[start : start + rows]
            repeated = [tensor.expand(len(part), -1) for tensor in inputs]
            network: Network = checkpoint.model
            logits = network(*repeated, hook=_put_in(checkpoint, part, recorded, pairs)).logits
            differences[start : start + rows] = _differences(contrast, logits)
    return contrast.effects(differences)


def largest_of_other(checkpoint: Checkpoint, contrast: Contrast, site: Site, other: Encoding) -> float:
    """Largest effect, of either sign, of a site with the numbers of another text: the control."""
    effects = patch(checkpoint, contrast, cells_of(checkpoint, contrast, site), source=other)
    return float(effects[np.abs(effects).argmax()])


def estimate(checkpoint: Checkpoint, contrast: Contrast) -> Patching:
    """Estimate the effect of every cell from one run of the source, and one of the target with its gradient."""
    source = _record(checkpoint, contrast.source)
    first = _point(checkpoint, Cell("residual", 0), source)
    leaf = replacing({first: lambda tensor: tensor.detach().requires_grad_()})  # weights may have no gradients
    target = record(checkpoint.model, input_tensors(contrast.target), source.keys(), leaf, gradients=True)
    logits = target.output.logits[0].double()
    difference = logits[contrast.logits[0]] - logits[contrast.logits[1]]
    points = list(source)
    gradients = dict(zip(points, torch.autograd.grad(difference, [target[point] for point in points]), strict=True))
    old, new = contrast.pairs.T.tolist()

    def change(cell: Cell) -> Tensor:
        """Change of the difference by the part, `(…, K)`."""
        point = _point(checkpoint, cell, source)
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


def _record(checkpoint: Checkpoint, encoding: Encoding) -> Mapping[HookPoint, Tensor]:
    names = {name for names in _POINTS.values() for name in names}
    return record(checkpoint.model, input_tensors(encoding), names).tensors


def _point(checkpoint: Checkpoint, cell: Cell, recorded: Mapping[HookPoint, Tensor]) -> HookPoint:
    """Where the part is called in the pass.

    Raises:
        Failure: If the model does not show it, as some families of models from elsewhere.
    """
    kind = checkpoint.model.attention_kinds[0]
    points = [HookPoint(name, cell.layer, kind) for name in _POINTS[cell.site]]
    if found := next((point for point in points if point in recorded), None):
        return found
    raise Failure("patching.unseen", name=checkpoint.name)


def _put_in(checkpoint: Checkpoint, cells: Sequence[Cell], recorded: Mapping[HookPoint, Tensor], pairs: Pairs) -> Hook:
    """A hook that puts the recorded numbers of each cell into its row of the batch."""
    rows: dict[HookPoint, list[tuple[int, Cell]]] = {}
    for row, cell in enumerate(cells):
        rows.setdefault(_point(checkpoint, cell, recorded), []).append((row, cell))

    def change(point: HookPoint, tensor: Tensor) -> Tensor:
        tensor, source = tensor.clone(), recorded[point][0]
        for row, cell in rows[point]:
            old, new = map(list, zip(*(pairs if cell.pair is None else [pairs[cell.pair]]), strict=True))
            if cell.head is None:
                tensor[row, new] = source[old]
            else:
                tensor[row, cell.head, new] = source[cell.head, old]
        return tensor

    return Hook(change, rows.keys())


def _differences(contrast: Contrast, logits: Tensor) -> np.ndarray:
    first, second = (logits[:, label].double().cpu().numpy() for label in contrast.logits)
    return first - second
