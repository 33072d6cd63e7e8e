"""Every kind of file that the app writes while others read it: how it is written, and what a reader must find."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import nn

from tests.checkpoints.test_card import METRICS
from tests.evidence.test_ledger import READING
from tests.tiny import save_checkpoint
from viz_core import checkpoints
from viz_core.analysis.explain import explain
from viz_core.checkpoints.card import save_metrics_and_card
from viz_core.evidence.ledger import read_ledger, record_reading
from viz_core.evidence.results import read_result, write_result
from viz_core.jobs import runs
from viz_core.jobs.limits import Limits
from viz_core.jobs.reporter import Reporter
from viz_core.jobs.state import Status, read_status, write_status
from viz_core.training.folders import latest_checkpoint, remove_other_checkpoints, restore_replaced, write_folder
from viz_core.training.snapshots import read_snapshot, snapshot_evaluations, write_snapshot
from viz_core.training.state import TrainerState, load_state, load_trainer_state, save_state

LIMITS = Limits(least_free_bytes=0, most_queued_per_owner=10**6)


@dataclass(frozen=True)
class Writer:
    """write: puts number n in place of (or after) number n - 1. read: what readers find, the last number; raises
    unless all of it is whole."""

    name: str
    write: Callable[[int], object]
    read: Callable[[], int]


def make_writer(name: str, folder: Path) -> Writer:
    """The writer of this name, in an empty folder; number 0 is written already."""
    writer = Writer(name, *_WRITERS[name](folder))
    writer.write(0)
    return writer


def _status(folder: Path) -> tuple:
    path = folder / "run"
    path.mkdir()
    return (
        lambda n: write_status(path, Status("running", step=n, best={"accuracy": n}, last={"text": "x" * 500})),
        lambda: read_status(path).step,
    )


def _submitted_runs(folder: Path) -> tuple:
    def read() -> int:
        assert not [run for run in runs.list_runs() if run.status.state != "queued"]
        assert all((run.path / "input.csv").stat().st_size == 5_000 for run in runs.list_runs())
        return len(runs.list_runs()) - 1

    def fill(path: Path) -> None:
        (path / "input.csv").write_bytes(b"x" * 5_000)

    return lambda n: runs.submit(runs.Request("test", f"{n}", ["-c", ""]), LIMITS, fill), read


def _resumed_run(folder: Path) -> tuple:
    run = runs.submit(runs.Request("test", "run", ["-c", ""]), LIMITS)

    def write(n: int) -> None:
        runs.stop(run.id)
        runs.resume(run.id, LIMITS)

    def read() -> int:
        now = runs.read(run.id)
        assert now.status.state in ("queued", "stopped") and now.request.command == ("-c", "")
        return now.status.attempt - 2

    return write, read


def _metrics(folder: Path) -> tuple:
    run = runs.submit(runs.Request("test", "run", ["-c", ""]), LIMITS)

    def write(n: int) -> None:
        with Reporter(run.path) as reporter:
            reporter.append_metrics({"evaluation": n, "text": "x" * 300})

    def read() -> int:
        numbers = [row["evaluation"] for row in runs.read_metrics(run)[0]]
        assert sorted(set(numbers)) == list(range(len(set(numbers))))
        return max(numbers)

    return write, read


def _snapshots(folder: Path) -> tuple:
    save_checkpoint(folder / "checkpoints", "imdb")
    explanation = explain(checkpoints.load("imdb", "tiny", folder / "checkpoints"), "a good film")

    def read() -> int:
        evaluations = snapshot_evaluations(folder, 0)
        assert evaluations == list(range(len(evaluations)))
        for evaluation in evaluations[-2:]:
            assert read_snapshot(folder, evaluation, 0).attention.shape == explanation.attention.shape
        return evaluations[-1]

    return lambda n: write_snapshot(folder, n, 0, explanation), read


def _training_checkpoints(folder: Path) -> tuple:
    module = nn.Linear(40, 40)
    optimiser = torch.optim.SGD(module.parameters())

    def fill(path: Path, n: int) -> None:
        nn.init.constant_(module.weight, n)
        save_state(path, TrainerState(step=n), module, optimiser, {})

    def write(n: int) -> None:
        write_folder(folder / "checkpoints" / str(n), lambda path: fill(path, n))
        remove_other_checkpoints(folder, None, n)

    def read() -> int:
        latest = latest_checkpoint(folder)
        load_state(latest, module, optimiser, torch.device("cpu"), 0)
        assert (module.weight == (n := load_trainer_state(latest).step)).all() and latest.name == str(n)
        return n

    return write, read


def _saved_model(folder: Path) -> tuple:
    """Replaced whole, as by `runs keep --overwrite`."""
    model = save_checkpoint(folder / "checkpoints", "imdb")
    texts = {path.name: path.read_bytes() for path in model.iterdir()}

    def write(n: int) -> None:
        def fill(path: Path) -> None:
            for name, content in texts.items():
                (path / name).write_bytes(content)
            checkpoints.save_metrics(path, {"seed": n})

        write_folder(model, fill)

    def read() -> int:
        restore_replaced(folder / "checkpoints")  # as the app does when it starts
        return checkpoints.load_folder(model, "imdb") and checkpoints.read_info(model).metrics.entries["seed"]

    return write, read


def _recorded_metrics(folder: Path) -> tuple:
    """As by `evaluate --record`: the only copy of the figures of a model."""
    model = save_checkpoint(folder / "checkpoints", "imdb")
    figures = METRICS | {"task": "imdb", "text": "x" * 9_000}
    return (
        lambda n: save_metrics_and_card(model, {**figures, "seed": n}),
        lambda: checkpoints.read_info(model).metrics.entries["seed"],
    )


def _evidence(folder: Path) -> tuple:
    model = save_checkpoint(folder / "checkpoints", "imdb")
    return (
        lambda n: write_result(model, "health", {"n": n, "rows": list(range(2_000))}),
        lambda: read_result(model, "health")["n"],
    )


def _ledger(folder: Path) -> tuple:
    (folder / "checkpoints").mkdir(exist_ok=True)

    def read() -> int:
        models = [reading.model for reading in read_ledger()]
        assert models == [str(n) for n in range(len(models))]
        return len(models) - 1

    return lambda n: record_reading(replace(READING, model=str(n))), read


_WRITERS = {
    "status": _status,
    "submitted runs": _submitted_runs,
    "resumed run": _resumed_run,
    "metrics of a run": _metrics,
    "attention snapshots": _snapshots,
    "checkpoints of a training": _training_checkpoints,
    "saved model": _saved_model,
    "recorded metrics": _recorded_metrics,
    "evidence": _evidence,
    "ledger": _ledger,
}
NAMES = tuple(_WRITERS)
