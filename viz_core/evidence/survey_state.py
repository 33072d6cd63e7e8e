"""What a survey of heads has so far, in a file of its run: arrays, as `.npz` without pickled objects.

Bounded like the survey itself: at most 100 MB for 144 heads and 2,500 inputs of 512 tokens.
"""

import hashlib
import json
import time
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from viz_core.analysis.heads.survey import ArraysByKind
from viz_core.files import replacing

EVERY = 30  # seconds between two writes
VERSION = 1  # of what is kept, and of how it is computed: another one begins anew
_ABOUT = "about"
_DAMAGE = (OSError, ValueError, KeyError, TypeError, EOFError, RuntimeError, BadZipFile, zlib.error)


class SurveyState:
    """The state of a survey of these rows of a model; that of any other model, row or text counts as none."""

    def __init__(self, file: Path, weights_sha256: str, rows: Sequence[int], texts: Sequence[Sequence[str]]) -> None:
        about = json.dumps([VERSION, weights_sha256, list(rows), [list(parts) for parts in texts]])
        self._file, self._of = file, hashlib.sha256(about.encode()).hexdigest()
        self._due = time.monotonic() + EVERY

    @property
    def is_due(self) -> bool:
        """Whether the last write was long ago."""
        return time.monotonic() > self._due

    def read(self) -> tuple[int, ArraysByKind]:
        """Number of inputs done, and what is known of them; nothing if the file is missing, damaged or foreign."""
        surveys: dict[str, dict[str, np.ndarray]] = {}
        try:
            with open(self._file, "rb") as file, np.load(file) as content:
                about = json.loads(content[_ABOUT].tobytes())
                if about["of"] != self._of:
                    return 0, {}
                for name in content.files:
                    kind, slash, part = name.partition("/")
                    if slash:
                        surveys.setdefault(kind, {})[part] = content[name]
                return int(about["done"]), surveys
        except _DAMAGE:
            return 0, {}

    def write(self, done: int, surveys: ArraysByKind) -> None:
        """Replace the file; where there is no room for it the survey goes on without."""
        about = np.frombuffer(json.dumps({"of": self._of, "done": done}).encode(), np.uint8)
        named = {f"{kind}/{name}": array for kind, arrays in surveys.items() for name, array in arrays.items()}
        with suppress(OSError), replacing(self._file) as content:
            np.savez(content, allow_pickle=False, **{_ABOUT: about}, **named)
        self._due = time.monotonic() + EVERY
