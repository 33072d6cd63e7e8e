"""Runs and a saved model written by an earlier version (see README.md), copied for each test."""

import shutil
from pathlib import Path

import pytest

from tests.tiny import save_checkpoint
from viz_core.jobs.request import owner_hash

HERE = Path(__file__).parent
OWNER = owner_hash("0123456789abcdef0123456789abcdef")  # the browser that started all of them


@pytest.fixture
def earlier_files(tmp_path, monkeypatch) -> Path:
    """A folder with `runs/` and `checkpoints/`: the saved model, `imdb/tiny` and `afqmc/tiny`."""
    for name in ("runs", "checkpoints"):
        shutil.copytree(HERE / name, tmp_path / name)
    for file in tmp_path.glob("runs/*/*.json"):
        file.write_text(
            file.read_text(encoding="utf-8").replace("ROOT", tmp_path.as_posix()), encoding="utf-8", newline=""
        )
    for task in ("imdb", "afqmc"):
        save_checkpoint(tmp_path / "checkpoints", task)
    monkeypatch.setenv("VIZ_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("VIZ_CHECKPOINTS_DIR", str(tmp_path / "checkpoints"))
    monkeypatch.setenv("VIZ_RUNS_FREE_MB", "1")
    monkeypatch.setenv("VIZ_RUNS_PER_VISITOR", "20")
    return tmp_path
