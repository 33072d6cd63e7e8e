"""The same command on two processes computes the same as on a single process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.numpy import load_file

from tests.training.tiny import ENCODER, lines
from viz_core import checkpoints
from viz_core.jobs.main import carry_out
from viz_core.jobs.request import MAIN
from viz_core.training.folders import checkpoint_folder
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
LOSS = 1e-6  # nats, of all losses: summed in another order; measured 2e-8
WEIGHTS = 1e-4  # after 24 steps of Adam; measured 5e-7


pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform == "win32", reason="gloo over torchrun's local address is not reliable there"),
]


@pytest.mark.slow
def test_two_processes_compute_the_same_as_a_single_process(tmp_path):
    single, double = folders = [tmp_path / name for name in ("single", "double")]
    for folder in folders:
        folder.mkdir()
        request = dict(kind="train", command=MAIN, device="cpu", settings=SETTINGS)
        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
    carry_out(single)
    run_on_two_processes("viz_core.jobs.main", double)
    curves = [lines(folder / "metrics.jsonl") for folder in folders]
    assert len(curves[0]) == len(curves[1]) == 2, "the first process alone reports"
    for alone, shared in zip(*curves, strict=True):
        assert alone["step"] == shared["step"]
        for name in ("loss", "validation_loss"):
            assert alone[name] == pytest.approx(shared[name], abs=LOSS)
        assert alone["train_accuracy"] == pytest.approx(shared["train_accuracy"], abs=1 / 384)
    states = [load_file(checkpoint_folder(folder, 24) / TENSORS) for folder in folders]
    weights = [name for name in states[0] if name.startswith("weights/")]
    assert max(abs(states[0][name].astype(float) - states[1][name]).max() for name in weights) < WEIGHTS
    assert [len(state["random/cpu"]) for state in states] == [1, 2]
    metrics = json.loads((checkpoint_folder(double, 24) / checkpoints.METRICS).read_text("utf-8"))
    assert metrics["device"].endswith("2 processes")


@pytest.mark.slow
def test_a_process_waits_for_its_communication_before_it_exits(tmp_path):
    """Otherwise the communicating thread may free a tensor while the interpreter shuts down, and abort."""
    run_on_two_processes("tests.training.exit_during_all_reduce", tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["0", "1"]


def run_on_two_processes(module: str, folder: Path) -> None:
    run = subprocess.run(
        [sys.executable, *TORCHRUN, "-m", module, str(folder)], cwd=PROJECT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
