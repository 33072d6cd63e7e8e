"""For `pip install .` and `pip wheel .`: what the app needs is what requirements.txt pins; a part of the models."""

import hashlib
import json
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PLACE = "attention_microscope/checkpoints"  # in the wheel


class Requirements(MetadataHookInterface):
    """Fills in what pyproject.toml declares to be dynamic."""

    def update(self, metadata: dict) -> None:
        lines = (Path(self.root) / "requirements.txt").read_text(encoding="utf-8").splitlines()
        metadata["dependencies"] = [line.strip() for line in lines if line.strip() and not line.startswith("#")]


class Models(BuildHookInterface):
    """Puts the models that pyproject.toml names into the wheel, and of all others the sizes and checksums of files."""

    def initialize(self, version: str, build_data: dict) -> None:
        if version == "editable":  # it has those of the checkout
            return
        checkpoints, inside = Path(self.root) / "checkpoints", self.config["models"]
        if missing := [name for name in inside if not (checkpoints / name / "model.safetensors").is_file()]:
            raise ValueError(f"the models {', '.join(missing)} are to be in the wheel, but not in {checkpoints}")
        build_data["force_include"] |= {str(checkpoints / name): f"{PLACE}/{name}" for name in inside}
        further = {
            f"{folder.parent.name}/{folder.name}": _files(folder)
            for folder in sorted(checkpoints.glob("[!.]*/[!.]*/"))
            if not (folder / "kept.json").exists() and not folder.parent.name.startswith("own-")  # somebody's own
        }
        with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
            json.dump({name: files for name, files in further.items() if name not in inside}, file, indent=1)
        self._manifest = Path(file.name)
        build_data["force_include"][file.name] = f"{PLACE}/further.json"

    def finalize(self, version: str, build_data: dict, artifact_path: str) -> None:
        if version != "editable":
            self._manifest.unlink()


def _files(folder: Path) -> dict[str, dict]:
    contents = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in sorted(contents.items())
    }
