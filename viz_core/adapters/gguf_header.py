"""The headers of GGUF files: what the model is, names and shapes of its tensors. Read without a library.

They are judged before anything is loaded, so every length is compared with what is left of the file,
and nothing is kept but numbers, short texts and shapes. The format is described in
https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import BinaryIO

from viz_core.bounded_json import require_regular

MOST_BYTES = 64 * 2**20  # of a header; that of a vocabulary of 256,000 tokens has about 12 MB
LEAST_BITS = 1.5  # of a weight in the tightest format, IQ1_S
MOST_ENTRIES, MOST_TENSORS = 10_000, 100_000  # some hundreds are usual
_VERSIONS = (2, 3)
_MOST_DIMENSIONS, _LONGEST = 4, 2**20  # dimensions of a tensor; bytes of a text, such as a chat template
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _ARRAY = 8, 9


@dataclass(frozen=True)
class GgufHeader:
    """What a GGUF file says of itself.

    Attributes:
        metadata: Numbers and texts by name; of a list, its length.
        shapes: Shapes of the tensors by name, as torch has them.
        bytes: Size of the header.
    """

    metadata: Mapping[str, object]
    shapes: Mapping[str, tuple[int, ...]]
    bytes: int

    def of_model(self, name: str) -> object:
        """Return an entry of the architecture, such as `block_count`; None if it is missing."""
        return self.metadata.get(f"{self.metadata.get('general.architecture')}.{name}")


def read_gguf_header(file: Path) -> GgufHeader:
    """Read the header of a GGUF file.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If the header is damaged, or the tensors have no room in the file.
    """
    size = require_regular(file)
    with file.open("rb") as opened:
        header = _Header(opened, min(size, MOST_BYTES))
        if header.take(4) != b"GGUF":
            raise ValueError("it is not a GGUF file")
        if (version := header.number("I")) not in _VERSIONS:
            raise ValueError(f"version {version} of GGUF; 2 and 3 are known")
        tensors, entries = int(header.number("Q")), int(header.number("Q"))
        if entries > MOST_ENTRIES or tensors > MOST_TENSORS:
            raise ValueError(f"it has {entries:,} entries and {tensors:,} tensors")
        metadata = {header.text(): header.value(header.number("I")) for _ in range(entries)}
        shapes = dict(header.tensor() for _ in range(tensors))
    if sum(map(prod, shapes.values())) * LEAST_BITS / 8 > size:
        raise ValueError(f"its tensors have no room in {size:,} bytes")
    return GgufHeader(metadata, shapes, header.position)


class _Header:
    """A file that is read from its start, no further than a limit."""

    def __init__(self, file: BinaryIO, limit: int) -> None:
        self._file, self._limit, self.position = file, limit, 0

    def take(self, count: int) -> bytes:
        """The next bytes."""
        self._advance(count)
        return self._file.read(count)

    def number(self, form: str) -> float:
        """The next number, in a format of `struct`."""
        return struct.unpack(f"<{form}", self.take(struct.calcsize(f"<{form}")))[0]

    def text(self) -> str:
        """The next text."""
        if (length := int(self.number("Q"))) > _LONGEST:
            raise ValueError(f"a text of {length:,} bytes; up to {_LONGEST:,} are read")
        return self.take(length).decode("utf-8")

    def value(self, kind: float) -> object:
        """The next value of this kind; a list is skipped, and its length returned."""
        if kind in _NUMBERS:
            return self.number(_NUMBERS[int(kind)])
        if kind == _TEXT:
            return self.text()
        if kind != _ARRAY:
            raise ValueError(f"a value of the unknown kind {kind}")
        kind, count = self.number("I"), int(self.number("Q"))
        if kind in _NUMBERS:
            self._skip(count * struct.calcsize(_NUMBERS[int(kind)]))
        elif kind == _TEXT:
            for _ in range(count):
                self._skip(int(self.number("Q")))
        else:
            raise ValueError(f"a list of values of kind {kind}")
        return count

    def tensor(self) -> tuple[str, tuple[int, ...]]:
        """Name and shape of the next tensor."""
        name, dimensions = self.text(), int(self.number("I"))
        if dimensions > _MOST_DIMENSIONS:
            raise ValueError(f"a tensor of {dimensions} dimensions; up to {_MOST_DIMENSIONS} are read")
        shape = tuple(int(self.number("Q")) for _ in range(dimensions))
        self.take(12)  # its format, and where it is
        return name, shape[::-1]

    def _skip(self, count: int) -> None:
        self._advance(count)
        self._file.seek(count, 1)

    def _advance(self, count: int) -> None:
        if self.position + count > self._limit:
            raise ValueError(f"its header does not end within {self._limit:,} bytes")
        self.position += count
