"""Two ways to train the same encoder: the courses', in a plain loop around torch's own attention, and our engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from viz_core.models.batch import pad
from viz_core.models.config import EncoderConfig
from viz_core.models.dropout import Dropout
from viz_core.models.encoder import Encoder
from viz_core.recipes import Recipe
from viz_core.records import Examples
from viz_core.training.batches import parts
from viz_core.training.building import classification, optimiser_for, parameter_groups
from viz_core.training.loop import Place, Plan, Wish, fit

if TYPE_CHECKING:
    from lightning_fabric import Fabric

Run = Callable[[list[np.ndarray]], None]  # the rows of each batch -> one step for each of them


class CourseAttention(nn.Module):
    """torch.nn.MultiheadAttention as it comes: it makes the weights of attention, and dropout falls on them."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.inner = nn.MultiheadAttention(config.width, config.heads, config.attention_dropout, batch_first=True)

    def forward(self, x: Tensor, mask: Tensor, *rest: object) -> tuple[Tensor, Tensor]:
        return self.inner(x, x, x, key_padding_mask=~mask, need_weights=True)


def course_encoder(config: EncoderConfig) -> Encoder:
    """Our encoder around torch's attention, and with its dropout."""
    encoder = with_torch_dropout(Encoder(config))
    for layer in encoder.layers:
        layer.attention = CourseAttention(config)
    return encoder


def with_torch_dropout(encoder: Encoder) -> Encoder:
    """The encoder with torch's dropout in the place of ours."""
    for module in list(encoder.modules()):
        for name, child in module.named_children():
            if isinstance(child, Dropout):
                setattr(module, name, nn.Dropout(child.p))
    return encoder


def course(encoder: Encoder, recipe: Recipe, examples: Examples, tokens: int = 0, fused: bool | None = None) -> Run:
    """The loop of a course. tokens: what every row is padded to; 0 for the longest row of its batch. fused: torch's
    default optimiser (None), or the one with one kernel for all parameters."""
    kind = torch.optim.Adam if recipe.optimiser == "adam" else torch.optim.AdamW
    optimiser = kind(encoder.parameters(), recipe.lr, weight_decay=recipe.weight_decay, fused=fused)
    encoder.train()

    def run(batches: Iterable[np.ndarray]) -> None:
        for rows in batches:
            part = examples.at(rows)
            ids, segments, mask = pad(part.ids, part.segments)
            missing = (0, max(0, tokens - ids.shape[1]))
            logits = encoder(F.pad(ids, missing), F.pad(segments, missing), F.pad(mask, missing)).logits
            loss = F.cross_entropy(logits, torch.from_numpy(examples.labels[rows]))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            loss.item()  # for the curve

    return run


class Unwatched:
    """A Watcher of the loop who wants nothing: no evaluation and no checkpoint is in the time."""

    def wish(self, place: Place) -> Wish:
        return Wish.GO_ON

    def evaluate(self, place: Place, factor: float) -> bool:
        return False

    def save(self, place: Place) -> None:
        pass


def engine(fabric: Fabric, config: EncoderConfig, recipe: Recipe, examples: Examples) -> Run:
    """The loop, the objective, the batches and the optimiser of `viz_core.training`, as `train` puts them together."""
    encoder = fabric.to_device(Encoder(config))
    objective = fabric.to_device(classification(encoder, recipe, examples.labels))
    optimiser = optimiser_for(parameter_groups(encoder, recipe), recipe)

    def run(batches: list[np.ndarray]) -> None:
        plan = Plan(1, len(batches), recipe.warmup, recipe.schedule, recipe.clip)
        padded = parts(examples, batches, fabric.device, process=0, processes=1)
        fit(fabric, objective, optimiser, plan, lambda epoch, start: padded, Place(), Unwatched())

    return run
