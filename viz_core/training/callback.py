"""What a training reports, and how it is asked to stop."""

from collections.abc import Callable

from viz_core.checkpoints import Checkpoint


class TrainingCallback:
    """Called by a training on its first process. This one passes the figures of every evaluation on."""

    def __init__(self, report: Callable[[dict], None] = lambda figures: None) -> None:
        self.report = report

    def on_start(self, device: str, step: int, total: int) -> None:
        """Before the first step; step: the number of steps done, above 0 in a resumed training."""

    def on_step(self, step: int, total: int) -> None:
        """After every step on a CPU and at least once a second on a GPU; step: the number of steps done."""

    def should_stop(self) -> bool:
        """Whether the training should stop; called after steps and during evaluations."""
        return False

    def on_evaluation(self, figures: dict, best: dict | None) -> None:
        """After every evaluation: its figures, and those of the best one so far."""
        self.report(figures)

    def on_snapshot(self, evaluation: int, load_model: Callable[[], Checkpoint]) -> None:
        """At every evaluation, 0 being the random initialisation; load_model: returns the current model, on the CPU."""
