"""How a network of `transformers` writes into its residual stream, found by watching every module in one run.

Shapes: T tokens, D model width.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

_TOLERANCE = 1e-4  # relative to the largest number


class _Call(NamedTuple):
    module: nn.Module
    read: Tensor
    returned: Tensor


class Calls:
    """The modules that a run calls, in the order in which they return, with what they read and return."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []

    @contextmanager
    def watching(self, network: nn.Module) -> Iterator[None]:
        """Note the calls of this network while the context lasts."""

        def note(module: nn.Module, inputs: tuple, keywords: dict[str, Any], output: object) -> None:
            read = inputs[0] if inputs else keywords.get("hidden_states")
            returned = output[0] if isinstance(output, tuple) else output
            if isinstance(read, Tensor) and isinstance(returned, Tensor):
                self._calls.append(_Call(module, read, returned))

        with ExitStack() as stack:
            for module in network.modules():
                stack.callback(module.register_forward_hook(note, with_kwargs=True).remove)
            yield

    def add_up(self, layers: Sequence[nn.Module], projections: Sequence[nn.Module]) -> bool:
        """Whether each layer adds two vectors to the residual stream: of its attention, and of some other module.

        That other module is the last of the feed-forward. It is not so where what they write is
        scaled or normalised first (Gemma 2, OLMo 2, Granite), or the sum is (BERT).

        Args:
            layers: Each layer.
            projections: The module of each that writes its heads.
        """
        return all(self._adds(layer, projection) for layer, projection in zip(layers, projections, strict=True))

    def _adds(self, layer: nn.Module, projection: nn.Module) -> bool:
        own, inside = self._last(layer), set(layer.modules())
        rest = own.returned - own.read - self._last(projection).returned.view_as(own.read)
        least = _TOLERANCE * float(own.returned.abs().max())
        return any(
            call.returned.numel() == rest.numel() and torch.allclose(call.returned.view_as(rest), rest, 0, least)
            for call in self._calls
            if call.module in inside
        )

    def last_before(self, output: Tensor, layers: Sequence[nn.Module]) -> nn.Module | None:
        """Return the innermost module that computes the output of the network; None if it is part of a layer."""
        inside = {module for layer in layers for module in layer.modules()}
        for call in reversed(self._calls):
            is_innermost = not list(call.module.children())
            computes = is_innermost and call.returned.data_ptr() != call.read.data_ptr()
            if computes and call.returned.data_ptr() == output.data_ptr():
                return None if call.module in inside else call.module
        return None

    def _last(self, module: nn.Module) -> _Call:
        return next(call for call in reversed(self._calls) if call.module is module)
