"""For `pip install .`: what the app needs is what requirements.txt pins; `requirements-NAME.txt` is the extra NAME."""

from __future__ import annotations

from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Requirements(MetadataHookInterface):
    """Fills in what pyproject.toml declares to be dynamic."""

    def update(self, metadata: dict) -> None:
        root = Path(self.root)
        metadata["dependencies"] = _pins(root / "requirements.txt")
        metadata["optional-dependencies"] = {
            file.stem.removeprefix("requirements-"): _pins(file) for file in sorted(root.glob("requirements-*.txt"))
        }


def _pins(file: Path) -> list[str]:
    """The lines that name a package; the others are comments, or include another file."""
    lines = (line.strip() for line in file.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith(("#", "-"))]
