"""The models that are left out of a wheel (hatch_build.py), and how to get them; a checkout has all models."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from viz_core.folders import SHIPPED

MANIFEST = SHIPPED / "checkpoints" / "further.json"  # only in a wheel
COMMAND = "attention-microscope models fetch"


@dataclass(frozen=True)
class FurtherModel:
    """A model that can be fetched.

    Attributes:
        task: Name of its task.
        name: Its name.
        files: Size in bytes and SHA-256 of each of its files, by their paths in its folder.
    """

    task: str
    name: str
    files: Mapping[str, tuple[int, str]]

    @property
    def full_name(self) -> str:
        """Task and name, `imdb/minilm`."""
        return f"{self.task}/{self.name}"

    @property
    def bytes(self) -> int:
        """Size of all files together."""
        return sum(size for size, _ in self.files.values())


def further_models() -> Mapping[str, FurtherModel]:
    """Return the models that this installation was built without, by their full names; none in a checkout."""
    return _read(MANIFEST)


def fetch_command(task: str, name: str) -> str:
    """Return the command that fetches a model; empty for any other name."""
    return f"{COMMAND} {task}/{name}" if f"{task}/{name}" in further_models() else ""


@cache
def _read(file: Path) -> Mapping[str, FurtherModel]:
    if not file.exists():
        return {}
    models = {}
    for full_name, files in json.loads(file.read_text(encoding="utf-8")).items():
        task, _, name = full_name.partition("/")
        stored = {path: (part["bytes"], part["sha256"]) for path, part in files.items()}
        models[full_name] = FurtherModel(task, name, stored)
    return models
