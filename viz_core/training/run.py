"""A training as a job: `python -m viz_core.training.run RUN_FOLDER` does what its request.json asks for, or goes on with it.

On several GPUs, or machines that share the folder: `torchrun --nproc-per-node 2 -m viz_core.training.run RUN_FOLDER`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from torch.utils.tensorboard import SummaryWriter

from viz_core.analysis.explain import explain
from viz_core.checkpoints import Checkpoint
from viz_core.jobs.reporter import Reporter
from viz_core.jobs.request import read_request
from viz_core.jobs.state import METRICS
from viz_core.records import Message
from viz_core.training import probes
from viz_core.training.settings import TrainingSettings
from viz_core.training.train import train_in
from viz_core.training.watch import Watch

EVENTS = "events"
_SCALARS = (
    "loss",
    "validation_loss",
    "train_accuracy",
    "accuracy",
    "auc",
    "mcc",
    "lr",
    "tokens_per_second",
    "memory_bytes",
)


class Reporting(Watch):
    """Tells the run folder: its status, `metrics.jsonl`, TensorBoard's events, and what becomes of the pinned inputs."""

    def __init__(self, folder: Path, reporter: Reporter, settings: TrainingSettings) -> None:
        super().__init__()
        self.folder, self.reporter, self.settings = folder, reporter, settings
        self.told = last_evaluation(folder / METRICS)
        self.events: SummaryWriter | None = None
        self._began, self._first = 0.0, 0

    def started(self, device: str, step: int, total: int) -> None:
        self._began, self._first = time.monotonic(), step
        self.reporter.running(device, total)
        # purge_step: what a killed attempt wrote behind its last checkpoint comes again.
        self.events = SummaryWriter(str(self.folder / EVENTS), purge_step=step or None)
        if step == 0:
            config = json.dumps(vars(self.settings), indent=2, ensure_ascii=False)
            self.events.add_text("config", f"```json\n{config}\n```")

    def stepped(self, step: int, total: int) -> None:
        done = step - self._first
        self.reporter.progress(step, (time.monotonic() - self._began) / done * (total - step) if done else None)

    def stop(self) -> bool:
        return self.reporter.stop_requested()

    def evaluated(self, figures: dict, best: dict | None) -> None:
        if figures["evaluation"] > self.told:  # else a killed attempt had come so far
            self.reporter.append_metrics(figures)
            self.told = figures["evaluation"]
        self.reporter.progress(figures["step"], last=figures, best=best)
        for name in _SCALARS:
            if name in figures:
                self.events.add_scalar(f"{figures['phase']}/{name}", figures[name], figures["step"])
        self.events.flush()

    def look(self, evaluation: int, model: Callable[[], Checkpoint]) -> None:
        checkpoint = model() if self.settings.pinned else None
        for number, texts in enumerate(self.settings.pinned):
            probes.write(self.folder, evaluation, number, explain(checkpoint, *texts))

    def close(self) -> None:
        if self.events:
            self.events.close()


def last_evaluation(file: Path) -> int:
    """The number of the last evaluation in a `metrics.jsonl`; 0 where there is none. Half a line is none."""
    numbers = [0]
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
        try:
            numbers.append(json.loads(line)["evaluation"])
        except (ValueError, KeyError, TypeError):
            continue
    return max(numbers)


def main(folder: Path) -> None:
    """What goes wrong is said in the run's status and, with its traceback, in the log."""
    if int(os.environ.get("RANK", 0)):  # of several processes only the first one reports
        train_in(folder, TrainingSettings.from_request(read_request(folder)).training(), Watch())
        return
    with Reporter(folder) as reporter:
        settings = TrainingSettings.from_request(read_request(folder))
        watch = Reporting(folder, reporter, settings)
        try:
            session, done = train_in(folder, settings.training(), watch)
        finally:
            watch.close()
        if done:
            reporter.finished()
        else:
            reporter.stopped(None if session.best else Message("training.stopped_early"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
