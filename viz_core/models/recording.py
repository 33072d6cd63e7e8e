"""Record the tensors of a forward pass by name, or replace some of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from viz_core.models.protocol import Hook, HookPoint, Model, Network, Output, PointName, Points, SequenceToSequence


@dataclass(frozen=True, eq=False)
class Record(Mapping[HookPoint, Tensor]):
    """Tensors recorded in a forward pass.

    A point may be given by its fields: `record["final"]`, `record["weights", 2, "cross"]`.

    Attributes:
        tensors: By point, as the pass went on with them; they must not be changed.
        output: Output of the model.
    """

    tensors: Mapping[HookPoint, Tensor]
    output: Output

    def __getitem__(self, point: PointName | tuple) -> Tensor:
        return self.tensors[HookPoint(point) if isinstance(point, str) else HookPoint(*point)]

    def __iter__(self) -> Iterator[HookPoint]:
        return iter(self.tensors)

    def __len__(self) -> int:
        return len(self.tensors)


def record(
    model: Model | SequenceToSequence,
    inputs: Sequence[Tensor],
    points: Points,
    hook: Hook | None = None,
    need_attention: bool = False,
    gradients: bool = False,
) -> Record:
    """Run the model on these inputs and record its tensors.

    Args:
        model: The model.
        inputs: Its positional arguments.
        points: Points to record; those that the model lacks are left out.
        hook: Changes tensors before they are recorded.
        need_attention: As in `Model`.
        gradients: Whether gradients can flow through the recorded tensors.
    """
    tensors: dict[HookPoint, Tensor] = {}

    def keep(point: HookPoint, tensor: Tensor) -> Tensor:
        tensors[point] = tensor
        return tensor

    recorder = Hook(keep, points)
    with torch.enable_grad() if gradients else torch.no_grad():
        network: Network = model
        output = network(*inputs, need_attention=need_attention, hook=chain(hook, recorder) if hook else recorder)
    return Record(tensors, output)


def replacing(values: Mapping[PointName | HookPoint, Tensor | Callable[[Tensor], Tensor]]) -> Hook:
    """Return a hook that replaces tensors by other tensors, or by the result of a function.

    A name stands for its points of all layers and kinds.
    """

    def change(point: HookPoint, tensor: Tensor) -> Tensor:
        value = values[point] if point in values else values[point.name]
        return value if isinstance(value, Tensor) else value(tensor)

    return Hook(change, values.keys())


def calling(between_layers: Callable[[], None]) -> Hook:
    """Return a hook that changes nothing and calls a function before each layer; what it raises ends the pass."""

    def change(point: HookPoint, tensor: Tensor) -> Tensor:
        between_layers()
        return tensor

    return Hook(change, {"residual_before"})


def chain(first: Hook, second: Hook) -> Hook:
    """Return a hook that calls both, the second after the first."""
    return Hook(lambda point, tensor: second(point, first(point, tensor)), {*first.points, *second.points})
