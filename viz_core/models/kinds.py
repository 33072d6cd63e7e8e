"""The kinds of models there are, by the name that `config.json` has for each: how its config is read, and how it is built.

Loaded without torch, so that whoever only asks for a training need not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from viz_core.models.config import EncoderConfig

if TYPE_CHECKING:
    from torch import nn

    from viz_core.models.protocol import ModelConfig


@dataclass(frozen=True)
class Kind:
    """config: makes the frozen config of the fields as saved; raises ValueError where they do not fit together. build: makes
    the model, an `nn.Module` that keeps to `protocol.Model`."""

    config: Callable[[dict], ModelConfig]
    build: Callable[[ModelConfig], nn.Module]


def _encoder(config: EncoderConfig) -> nn.Module:
    from viz_core.models.encoder import Encoder

    return Encoder(config)


KINDS: dict[str, Kind] = {"encoder": Kind(EncoderConfig.from_dict, _encoder)}
