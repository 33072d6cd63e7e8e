"""Who looks on while an encoder is trained: told of everything, and asked whether to go on."""

from __future__ import annotations

from collections.abc import Callable

from viz_core.checkpoints import Checkpoint


class Watch:
    """What a training tells of itself, on the first process only; this one passes the figures on and lets it run."""

    def __init__(self, report: Callable[[dict], None] = lambda figures: None) -> None:
        self.report = report

    def started(self, device: str, step: int, total: int) -> None:
        """Before the first step; one that goes on where it was interrupted starts at a later one."""

    def stepped(self, step: int, total: int) -> None:
        """In every step: how many are done."""

    def stop(self) -> bool:
        """Whether it shall come to an end; asked in every step, and while it evaluates."""
        return False

    def evaluated(self, figures: dict, best: dict | None) -> None:
        """After every evaluation: its figures, and those of the best one so far."""
        self.report(figures)

    def look(self, evaluation: int, model: Callable[[], Checkpoint]) -> None:
        """At every evaluation, 0 being the random start; model: gives the encoder as it is now, on the CPU."""
