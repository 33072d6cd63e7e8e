"""The headers of safetensors files: names, shapes and types of tensors. Read without torch.

They are compared with those of a model before memory is allocated for the tensors.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from safetensors import safe_open

from viz_core.bounded_json import require_regular
from viz_core.records import Message

FLOATS = ("F16", "BF16", "F32", "F64")  # types of weights in a file


Shape = tuple[int, ...]


class Stored(NamedTuple):
    """The shape and type of a tensor in a file, in the words of safetensors."""

    shape: Shape
    type: str


def read_header(file: Path) -> dict[str, Stored]:
    """Read the shapes and types of the tensors in a file, by name.

    Raises:
        OSError: If the file cannot be read.
        SafetensorError: If the header is damaged.
        ValueError: If the file is not a regular one.
    """
    require_regular(file)
    with safe_open(file, "numpy") as tensors:
        slices = {name: tensors.get_slice(name) for name in tensors.keys()}  # noqa: SIM118 - no mapping
        return {name: Stored(tuple(part.get_shape()), part.get_dtype()) for name, part in slices.items()}


def find_misfit(stored: Mapping[str, Shape], expected: Mapping[str, Shape]) -> Message | None:
    """What is wrong with the tensors in a file, by their shapes; None if nothing is.

    The file may hold other tensors than those expected.
    """
    if missing := [name for name in expected if name not in stored]:
        return Message("checkpoints.missing_tensor", {"tensor": min(missing)[:200], "count": len(missing)})
    for name, shape in expected.items():
        if stored[name] != shape:
            values = {"tensor": name, "stored": str(list(stored[name])), "expected": str(list(shape))}
            return Message("checkpoints.tensor_shape", values)
    return None
