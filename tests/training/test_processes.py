"""The same command on several processes comes to the same as on one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.numpy import load_file

from tests.training.tiny import ENCODER, lines
from viz_core import checkpoints
from viz_core.training.folders import checkpoint_folder
from viz_core.training.run import main
from viz_core.training.state import TENSORS

PROJECT = Path(__file__).parents[2]
TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
# Nothing is random; 384 rows in batches of 33 leave 21 in the last one: an odd number for two processes.
SETTINGS = dict(
    task="imdb",
    data="sample",
    name="tiny",
    encoder={**ENCODER, "dropout": 0.0},
    recipe=dict(
        epochs=2, batch=33, word_dropout=0.0, lr=3e-3, token_lr=1.0, class_weights=True, teacher="none", pieces=False
    ),
)
LOSS = 1e-6  # nats, of all losses: the sums come in another order; measured 2e-8
WEIGHTS = 1e-4  # after 24 steps of Adam; measured 5e-7


pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform == "win32", reason="gloo over torchrun's local address is not reliable there"),
]


def test_two_processes_come_to_the_same_loss_as_one(tmp_path):
    one, two = (tmp_path / name for name in ("one", "two"))
    for folder in (one, two):
        folder.mkdir()
        request = dict(command=["-m", "viz_core.training.run"], device="cpu", settings=SETTINGS)
        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
    main(one)
    run_on_two("viz_core.training.run", two)
    told = [lines(folder / "metrics.jsonl") for folder in (one, two)]
    assert len(told[0]) == len(told[1]) == 2, "the first process alone reports"
    for alone, shared in zip(*told, strict=True):
        assert alone["step"] == shared["step"]
        for name in ("loss", "validation_loss"):
            assert alone[name] == pytest.approx(shared[name], abs=LOSS)
        assert alone["train_accuracy"] == pytest.approx(shared["train_accuracy"], abs=1 / 384)
    weights = [load_file(checkpoint_folder(folder, 24) / TENSORS) for folder in (one, two)]
    assert (
        max(
            abs(weights[0][name].astype(float) - weights[1][name]).max()
            for name in weights[0]
            if name.startswith("weights/")
        )
        < WEIGHTS
    )
    assert [len(one["random/cpu"]) for one in weights] == [1, 2]
    metrics = json.loads((checkpoint_folder(two, 24) / checkpoints.METRICS).read_text("utf-8"))
    assert metrics["device"].endswith("2 processes")


@pytest.mark.slow
def test_a_process_ends_after_what_it_exchanges(tmp_path):
    """Else the thread that exchanges may meet an interpreter that is being taken down, and abort."""
    run_on_two("tests.training.leaving", tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["0", "1"]


def run_on_two(module: str, folder: Path) -> None:
    run = subprocess.run(
        [sys.executable, *TORCHRUN, "-m", module, str(folder)], cwd=PROJECT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
