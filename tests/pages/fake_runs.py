"""Fake runs: folders with the metrics, checkpoint and attention snapshots of a training that never ran."""

import json
import shutil
import time
from pathlib import Path

from safetensors.torch import load_file, save_file
from streamlit.testing.v1 import AppTest

from pages.training import runs
from tests.pages.app import open_page
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.jobs import runs as jobs
from viz_core.jobs.request import owner_hash
from viz_core.training import snapshots

OWNER = owner_hash("0" * 32)  # the visitor of the tests
VALIDATION = {
    "split": "validation",
    "n": 48,
    "accuracy": 0.7,
    "majority_accuracy": 0.5,
    "auc": 0.6,
    "mcc": 0.2,
    "f1": [0.7, 0.7],
    "confusion": [[20, 4], [5, 19]],
    "ece": 0.1,
    "ece_uncalibrated": 0.1,
}
FIGURES = {
    "task": "imdb",
    "data": "sample",
    "recipe": {"lr": 1e-3},
    "seed": 0,
    "parameters": 1234,
    "command": "python",
    "commit": "unknown",
    "device": "cpu",
    "data_sha256": "0",
    "wall_seconds": 60,
    "validation": VALIDATION,
}


def metrics_row(evaluation: int) -> dict:
    return {
        "phase": "train",
        "evaluation": evaluation,
        "epoch": evaluation,
        "step": 10 * evaluation,
        "loss": 0.7 / evaluation,
        "validation_loss": 0.7,
        "train_accuracy": 0.6,
        "accuracy": 0.5 + evaluation / 10,
        "auc": 0.6,
        "mcc": 0.2,
        "majority_accuracy": 0.5,
        "confusion": [[20, 4], [5, 19]],
        "lr": 1e-3,
        "tokens_per_second": 1000,
        "memory_bytes": 10**9,
    }


def make_run(
    state: str = "finished", evaluations: int = 2, name: str = "first", owner: str = OWNER, **settings
) -> jobs.Run:
    """A training in the given state, with metrics, a checkpoint and the snapshots of a pinned input."""
    run = jobs.submit(
        jobs.Request(
            "train",
            name,
            device="cpu",
            owner=owner,
            settings={"task": "imdb", "name": name, "data": "sample", **settings},
        )
    )
    figures = [metrics_row(number) for number in range(1, evaluations + 1)]
    status = json.loads((run.path / "status.json").read_text()) | {
        "state": state,
        "step": 10 * evaluations,
        "total": 40,
        "eta": 12.0,
        "heartbeat": time.time(),
        "started": time.time() - 60,
        "ended": None if state in ("queued", "running") else time.time(),
        "device": "cpu, 2 threads",
        "last": figures[-1] if figures else None,
        "best": figures[-1] if figures else None,
    }
    (run.path / "status.json").write_text(json.dumps(status))
    (run.path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in figures))
    if evaluations:
        write_checkpoint(run.path, 10 * evaluations)
    runs.clear_cache()
    return jobs.read(run.id)


def write_checkpoint(folder: Path, step: int) -> None:
    """Copies the tiny model, with changed weights, to the best checkpoint of a run, and writes its snapshots."""
    checkpoint = folder / "checkpoints" / str(step)
    shutil.copytree(checkpoints.folder() / "imdb/tiny", checkpoint)
    weights = load_file(checkpoint / checkpoints.WEIGHTS)
    save_file({name: tensor + 1 for name, tensor in weights.items()}, checkpoint / checkpoints.WEIGHTS)
    (checkpoint / checkpoints.METRICS).write_text(json.dumps(FIGURES))
    (checkpoint / checkpoints.CARD).write_text("# imdb / tiny\n")
    for evaluation in range(3):
        snapshots.write_snapshot(folder, evaluation, 0, explain(checkpoints.load("imdb", "tiny"), "a good film"))


def open_training(**link: str) -> AppTest:
    return open_page("training", **link)
