"""Where the modules of a layer are, some of which compute several linear maps of ours at once (GPT-2, GPT-NeoX, Phi-3).

Shapes: H heads, G heads of keys and values, d width of a head.
"""

from collections.abc import Mapping
from typing import NamedTuple

from torch import Tensor, nn

from viz_core.adapters.families import Parts


class Slot(NamedTuple):
    """A module that is one of ours, or a part of its outputs.

    Attributes:
        module: The module.
        shares: How the outputs are divided among the maps that the module computes, such as `(H, G, G)`
            for queries, keys and values; a single share if it computes one alone.
        number: Which of them, from 0.
        interleaved: Whether the outputs are those of the first head for each map, then those of the second, …
    """

    module: nn.Module
    shares: tuple[int, ...] = (1,)
    number: int = 0
    interleaved: bool = False

    def of(self, x: Tensor, axis: int = -1) -> Tensor:
        """View of the outputs of this map in a tensor that has those of the module along an axis.

        Interleaved heads cannot be one axis of a view: then it has two, H and d, in its place.
        """
        if len(self.shares) == 1:
            return x
        if self.interleaved:
            by_head = x.unflatten(axis, (self.shares[0], len(self.shares), -1))
            return by_head.select(axis - 1 if axis < 0 else axis + 1, self.number)
        size = x.shape[axis] // sum(self.shares)
        return x.narrow(axis, size * sum(self.shares[: self.number]), size * self.shares[self.number])


def slots_of(layer: nn.Module, parts: Parts, heads: int, key_heads: int) -> Mapping[str, Slot]:
    """The modules of a layer by our names, without those that it lacks.

    Args:
        layer: The layer.
        parts: Of its family.
        heads: H.
        key_heads: G.
    """
    shares = {"attention.query": heads, "attention.key": key_heads, "attention.value": key_heads}
    modules, found = dict(layer.named_modules()), {}
    for ours, theirs in parts.layer.items():
        path, _, number = theirs.partition("/")
        if path in modules:
            fused = sorted((place, name) for name, place in parts.layer.items() if place.startswith(f"{path}/"))
            of_each = tuple(shares.get(name, 1) for _, name in fused) or (1,)
            found[ours] = Slot(modules[path], of_each, int(number or 0), parts.interleaved)
    return found


def is_parallel(parts: Parts, config: object) -> bool:
    """Whether attention and feed-forward of a model are added together."""
    return bool(getattr(config, parts.parallel)) if isinstance(parts.parallel, str) else parts.parallel


def rotates(parts: Parts, config: object, layer: int) -> bool:
    """Whether a layer rotates its queries and keys."""
    return parts.rotary and (not parts.rotates or bool(getattr(config, parts.rotates)[layer]))
