"""Which part carries the difference between two inputs? Activation patching.

A part's numbers are taken from the run of one input (the source) and put into the run of another (the
target); the rest of that run goes on with them. Meng et al. 2022, "Locating and Editing Factual
Associations in GPT", section 2.1, https://arxiv.org/abs/2202.05262; Wang et al. 2022,
"Interpretability in the Wild", section 3, https://arxiv.org/abs/2211.00593. How to read it:
Heimersheim and Nanda 2024, https://arxiv.org/abs/2404.15255.

Shapes: L layers, H heads, K tokens that correspond, N cells.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from viz_core.analysis.explain import explanation, input_tensors
from viz_core.analysis.whatif import CELLS
from viz_core.checkpoints import Checkpoint
from viz_core.models.protocol import Hook, HookPoint, Network, PointName
from viz_core.models.recording import chain, record, replacing
from viz_core.records import SITES, Contrast, Encoding, Explanation, Failure, Patching, Site

# Where a family normalises what a part adds, what is added is what comes after.
_POINTS: dict[Site, tuple[PointName, ...]] = {
    "residual": ("residual_before",),
    "attention": ("attention_normed", "attention_output"),
    "feedforward": ("feedforward_normed", "feedforward_output"),
    "heads": ("context",),
}
Pairs = Sequence[tuple[int, int]]  # positions in source and target
Patch = TypeVar("Patch")
Report = Callable[[float], object]


def no_report(share: float) -> None:
    """Report nothing."""


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


def cell_at(site: Site, layer: int, column: int) -> Cell:
    """Return the cell of a column of `Patching.effects`."""
    return Cell(site, layer, head=column) if site == "heads" else Cell(site, layer, pair=column)


def patch_all(
    checkpoint: Checkpoint, contrast: Contrast, sites: Sequence[Site] = SITES, report: Report = no_report
) -> Patching:
    """Patch every cell of these sites.

    Args:
        report: Called before each pass with the share that is done; what it raises ends the computation.

    Raises:
        Failure: If the model does not show one of them.
    """
    effects = {}
    for number, site in enumerate(sites):

        def report_part(share: float, number: int = number) -> object:
            return report((number + share) / len(sites))

        values = patch(checkpoint, contrast, cells_of(checkpoint, contrast, site), report_part)
        effects[site] = values.reshape(checkpoint.model.config.layers, -1)
    return Patching(contrast, effects, is_exact=True)


def patch(
    checkpoint: Checkpoint,
    contrast: Contrast,
    cells: Sequence[Cell],
    report: Report = no_report,
    source: Encoding | None = None,
) -> np.ndarray:
    """Effect of each cell, `(N,)`: 0 if the run stays like that of the target, 1 if it becomes like the source's.

    Args:
        report: As in `patch_all`.
        source: Another text whose numbers are put in, position by position as far as it reaches: the
            control, whose effect says how much any other numbers would do.
    """
    recorded = record_parts(checkpoint, contrast.source if source is None else source)
    pairs: Pairs = contrast.positions
    if source is not None:
        last = recorded[point_of(checkpoint, cells[0], recorded)].shape[-2] - 1
        pairs = [(min(new, last), new) for _, new in pairs]

    def put_in(part: Sequence[Cell]) -> Hook:
        return put_into(checkpoint, part, recorded, pairs)

    return run_patched(checkpoint, contrast, cells, put_in, report)


def run_patched(
    checkpoint: Checkpoint,
    contrast: Contrast,
    patches: Sequence[Patch],
    put_in: Callable[[Sequence[Patch]], Hook],
    report: Report,
) -> np.ndarray:
    """Effects `(N,)` of N patches of the target's run, in as few passes as memory allows.

    Before the first patched layer all rows are the same, so one is computed, where the model shows its residual stream.

    Args:
        put_in: Returns a hook that applies each of some patches to its row of the batch.
        report: As in `patch_all`.
    """
    inputs, config = input_tensors(contrast.target), checkpoint.model.config
    rows = max(1, CELLS // max(1, config.heads * len(contrast.target.ids) ** 2, config.classes))
    differences = np.zeros(len(patches))
    network: Network = checkpoint.model
    starts = record(network, inputs, {"residual_before"})
    with torch.inference_mode():
        for start in range(0, len(patches), rows):
            report(start / len(patches))
            part = patches[start : start + rows]
            hook = put_in(part)
            layer = min(point.layer for point in hook.points if isinstance(point, HookPoint))
            first = HookPoint("residual_before", layer, network.attention_kinds[0])
            if first in starts:
                logits = network(*inputs, hook=chain(replacing({first: _repeat(len(part))}), hook)).logits
            else:
                logits = network(*(tensor.expand(len(part), -1) for tensor in inputs), hook=hook).logits
            first, second = (logits[:, label].double().cpu().numpy() for label in contrast.logits)
            differences[start : start + rows] = first - second
    return contrast.effects(differences)


def _repeat(rows: int) -> Callable[[Tensor], Tensor]:
    return lambda tensor: tensor.expand(rows, *tensor.shape[1:])


def explain_patched(checkpoint: Checkpoint, contrast: Contrast, cell: Cell) -> Explanation:
    """Prediction of the target's run with one part from the source, without attention."""
    hook = put_into(checkpoint, [cell], record_parts(checkpoint, contrast.source), contrast.positions)
    logits = record(checkpoint.model, input_tensors(contrast.target), (), hook).output.logits[0]
    tokens = len(contrast.target.ids)
    return explanation(checkpoint, contrast.target, logits.numpy(), np.zeros((0, 0, tokens, tokens), np.float32))


def largest_of_other(
    checkpoint: Checkpoint, contrast: Contrast, site: Site, other: Encoding, report: Report = no_report
) -> float:
    """Largest effect, of either sign, of a site with the numbers of another text: the control."""
    effects = patch(checkpoint, contrast, cells_of(checkpoint, contrast, site), report, other)
    return float(effects[np.abs(effects).argmax()])


def record_parts(checkpoint: Checkpoint, encoding: Encoding) -> Mapping[HookPoint, Tensor]:
    """Record all parts that can be patched."""
    names = {name for names in _POINTS.values() for name in names}
    return record(checkpoint.model, input_tensors(encoding), names).tensors


def shown_sites(checkpoint: Checkpoint, encoding: Encoding) -> tuple[Site, ...]:
    """Return the sites that the model shows: some families of models from elsewhere do not show all."""
    recorded, kind = record_parts(checkpoint, encoding), checkpoint.model.attention_kinds[0]
    return tuple(site for site in SITES if any(HookPoint(name, 0, kind) in recorded for name in _POINTS[site]))


def point_of(checkpoint: Checkpoint, cell: Cell, recorded: Mapping[HookPoint, Tensor]) -> HookPoint:
    """Return where the part is called in the pass.

    Raises:
        Failure: If the model does not show it, as some families of models from elsewhere.
    """
    kind = checkpoint.model.attention_kinds[0]
    points = [HookPoint(name, cell.layer, kind) for name in _POINTS[cell.site]]
    if found := next((point for point in points if point in recorded), None):
        return found
    raise Failure("patching.unseen", name=checkpoint.name)


def put_into(checkpoint: Checkpoint, cells: Sequence[Cell], recorded: Mapping[HookPoint, Tensor], pairs: Pairs) -> Hook:
    """Return a hook that puts the recorded numbers of each cell into its row of the batch."""
    rows: dict[HookPoint, list[tuple[int, Cell]]] = {}
    for row, cell in enumerate(cells):
        rows.setdefault(point_of(checkpoint, cell, recorded), []).append((row, cell))

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
