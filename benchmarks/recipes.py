"""Two ways to train the same encoder: a plain loop with torch's own attention, as in courses, and our engine."""

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
from viz_core.training.batches import DeviceExamples
from viz_core.training.building import optimiser_for, parameter_groups
from viz_core.training.loop import Action, LoopState, Plan, fit
from viz_core.training.objectives import classification

if TYPE_CHECKING:
    from lightning_fabric import Fabric

Run = Callable[[list[np.ndarray]], None]  # trains on batches, each given as row indices


class CourseAttention(nn.Module):
    """torch.nn.MultiheadAttention with its defaults: computes the attention weights, and applies dropout to them."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.inner = nn.MultiheadAttention(config.width, config.heads, config.attention_dropout, batch_first=True)

    def forward(self, x: Tensor, mask: Tensor, *rest: object) -> tuple[Tensor, Tensor]:
        return self.inner(x, x, x, key_padding_mask=~mask, need_weights=True)


def course_encoder(config: EncoderConfig) -> Encoder:
    """Our encoder with torch's attention and dropout."""
    encoder = use_torch_dropout(Encoder(config))
    for layer in encoder.layers:
        layer.attention = CourseAttention(config)
    return encoder


def use_torch_dropout(encoder: Encoder) -> Encoder:
    """Replaces our dropout by torch's, in place; returns the encoder."""
    for module in list(encoder.modules()):
        for name, child in module.named_children():
            if isinstance(child, Dropout):
                setattr(module, name, nn.Dropout(child.p))
    return encoder


def course(encoder: Encoder, recipe: Recipe, examples: Examples, tokens: int = 0, fused: bool | None = None) -> Run:
    """A plain training loop.

    tokens: length to which rows are padded; 0 for the longest row of the batch. fused: whether torch's optimiser is
    fused; None for its default.
    """
    kind = torch.optim.Adam if recipe.optimiser == "adam" else torch.optim.AdamW
    optimiser = kind(encoder.parameters(), recipe.lr, weight_decay=recipe.weight_decay, fused=fused)
    encoder.train()

    def run(batches: Iterable[np.ndarray]) -> None:
        for rows in batches:
            batch = examples.at(rows)
            ids, segments, mask = pad(batch.ids, batch.segments)
            missing = (0, max(0, tokens - ids.shape[1]))
            logits = encoder(F.pad(ids, missing), F.pad(segments, missing), F.pad(mask, missing)).logits
            loss = F.cross_entropy(logits, torch.from_numpy(examples.labels[rows]))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            loss.item()  # for the curve

    return run


class NoCallback:
    """A LoopCallback that never evaluates or saves, so that neither is part of the time."""

    def after_step(self, state: LoopState) -> Action:
        return Action.CONTINUE

    def evaluate(self, state: LoopState, lr_factor: float) -> bool:
        return False

    def save(self, state: LoopState) -> None:
        pass


def engine(fabric: Fabric, config: EncoderConfig, recipe: Recipe, examples: Examples) -> Run:
    """The loop, the objective, the batches and the optimiser of `viz_core.training`, assembled as in `train`."""
    encoder = fabric.to_device(Encoder(config))
    objective = fabric.to_device(classification(encoder, recipe, examples.labels))
    optimiser = optimiser_for(parameter_groups(encoder, recipe), recipe)
    on_device = DeviceExamples(examples, fabric.device, config.max_tokens)

    def run(batches: list[np.ndarray]) -> None:
        plan = Plan(1, len(batches), recipe.warmup, recipe.schedule, recipe.clip)
        padded_batches = on_device.batches(batches, process=0, processes=1)
        fit(fabric, objective, optimiser, plan, lambda epoch, start: padded_batches, LoopState(), NoCallback())

    return run
