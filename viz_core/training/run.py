"""A training as a job: starts or resumes what the request in a run folder asks for."""

import json
import time
from collections.abc import Callable
from pathlib import Path

from torch.utils.tensorboard import SummaryWriter

from viz_core.checkpoints import Checkpoint
from viz_core.jobs.reporter import Reporter
from viz_core.jobs.request import Request
from viz_core.jobs.state import METRICS
from viz_core.records import Message
from viz_core.training.kinds import training_kind
from viz_core.training.own_verdict import finish_own_training
from viz_core.training.settings import TrainingSettings
from viz_core.training.snapshots import write_snapshot
from viz_core.training.train import train_in
from viz_core.training.trainer import TrainingCallback

EVENTS = "events"
_SCALARS = (
    "loss",
    "validation_loss",
    "train_accuracy",
    "accuracy",
    "auc",
    "mcc",
    "token_accuracy",
    "bleu",
    "chrf",
    "perplexity",
    "bits_per_character",
    "repeated_loss",
    "lr",
    "tokens_per_second",
    "memory_bytes",
)


class RunCallback(TrainingCallback):
    """Writes to the run folder.

    It writes status, `metrics.jsonl`, TensorBoard events and attention snapshots of the pinned
    inputs.
    """

    def __init__(self, reporter: Reporter, settings: TrainingSettings) -> None:
        super().__init__()
        self.folder, self.reporter, self.settings = reporter.path, reporter, settings
        self.last_written = last_evaluation(self.folder / METRICS)
        self.events: SummaryWriter | None = None
        self._start, self._first_step = 0.0, 0

    def on_start(self, device: str, step: int, total: int) -> None:
        """Mark the run as running and open its event file."""
        self._start, self._first_step = time.monotonic(), step
        self.reporter.mark_running(device, total)
        # purge_step: a killed attempt may have written events after its last checkpoint; they are written again.
        self.events = SummaryWriter(str(self.folder / EVENTS), purge_step=step or None)
        if step == 0:
            config = json.dumps(vars(self.settings), indent=2, ensure_ascii=False)
            self.events.add_text("config", f"```json\n{config}\n```")

    def on_step(self, step: int, total: int) -> None:
        """Write the progress and the estimated remaining time."""
        done = step - self._first_step
        seconds = time.monotonic() - self._start
        self.reporter.update(step, seconds / done * (total - step) if done else None)

    def should_stop(self) -> bool:
        """Whether somebody asked the run to stop."""
        return self.reporter.stop_requested()

    def on_evaluation(self, figures: dict, best: dict | None) -> None:
        """Write the figures of an evaluation, unless a killed attempt has written them."""
        if figures["evaluation"] > self.last_written:  # otherwise a killed attempt has written it
            self.reporter.append_metrics(figures)
            self.last_written = figures["evaluation"]
        self.reporter.update(figures["step"], last=figures, best=best)
        if self.events:
            for name in _SCALARS:
                if name in figures:
                    self.events.add_scalar(f"{figures['phase']}/{name}", figures[name], figures["step"])
            self.events.flush()

    def on_snapshot(self, evaluation: int, load_model: Callable[[], Checkpoint]) -> None:
        """Write a snapshot of every pinned input."""
        if not self.settings.pinned:
            return
        checkpoint, explain = load_model(), training_kind(self.settings.task).explain
        for number, texts in enumerate(self.settings.pinned):
            write_snapshot(self.folder, evaluation, number, explain(checkpoint, texts))

    def close(self) -> None:
        """Close the event file."""
        if self.events:
            self.events.close()


def last_evaluation(file: Path) -> int:
    """The number of the last evaluation in a `metrics.jsonl`; 0 if there is none.

    Incomplete lines are ignored.
    """
    numbers = [0]
    for line in file.read_bytes().splitlines() if file.exists() else []:
        try:
            numbers.append(int(json.loads(line)["evaluation"]))
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            continue
    return max(numbers)


def train_run(reporter: Reporter, request: Request) -> None:
    """Carry out a job of the kind `train`.

    Raises:
        Failure: As for `train_in`.
    """
    settings = TrainingSettings.from_request(request)
    callback = RunCallback(reporter, settings)
    try:
        trainer, done = train_in(reporter.path, settings.training(), callback)
    finally:
        callback.close()
    if done:
        finish_own_training(reporter.path, settings.task, trainer.best)
        reporter.mark_finished()
    else:
        reporter.mark_stopped(None if trainer.best else Message("training.stopped_early"))
