"""What a wheel knows of the models that it is built without, of tiny models."""

import hashlib
import json
from pathlib import Path

import pytest

from viz_core.checkpoints import further


def leave_out(models: list[Path], place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes this installation one that was built without these models, as hatch_build.py does."""
    manifest = {
        f"{model.parent.name}/{model.name}": {
            file.relative_to(model).as_posix(): {
                "bytes": file.stat().st_size,
                "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
            }
            for file in model.rglob("*")
            if file.is_file()
        }
        for model in models
    }
    place.mkdir(parents=True, exist_ok=True)
    (place / "further.json").write_text(json.dumps(manifest), encoding="utf-8")
    monkeypatch.setattr(further, "MANIFEST", place / "further.json")
