"""The score of a room, a line in docs/mutants.md, and the survivors with a reason, in survivors.toml."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from viz_core.statistics.intervals import wilson

REASONS = Path(__file__).with_name("survivors.toml")
SURVIVED, NOT_RUN, TIME_LIMIT = {"survived", "no tests"}, "not checked", "timeout"  # mutmut's words


@dataclass(frozen=True)
class Survivor:
    """A mutant that no test notices. change: the lines before (-) and after (+), as in a diff."""

    function: str
    change: str


@dataclass(frozen=True)
class Score:
    """mutants: of the whole room; sample: those to run; run, killed, time_limit, no_tests: of the sample."""

    mutants: int
    sample: int
    run: int
    killed: int
    time_limit: int
    no_tests: int


def score(mutants: int, statuses: Sequence[str]) -> Score:
    """Counts the statuses of the sample of a room with so many mutants."""
    run = [status for status in statuses if status != NOT_RUN]
    killed = sum(status not in SURVIVED for status in run)
    return Score(mutants, len(statuses), len(run), killed, run.count(TIME_LIMIT), run.count("no tests"))


def read_reasons() -> dict[Survivor, str]:
    """Why each of the known survivors is left, from survivors.toml."""
    entries = tomllib.loads(REASONS.read_text(encoding="utf-8"))["survivor"]
    return {Survivor(entry["function"], entry["change"].strip()): entry["why"].strip() for entry in entries}


def line(room: str, date: str, score: Score) -> str:
    """The score as Markdown."""
    low, high = wilson(score.killed, score.run)
    share = score.killed / score.run if score.run else 0.0
    unfinished = f" ({score.sample} drawn, the rest not run yet)" if score.run < score.sample else ""
    details = [
        f"{count} {what}"
        for count, what in ((score.time_limit, "by the time limit"), (score.no_tests, "run by no test"))
    ]
    return (
        f"**{room}**, {date}: {score.killed} of {score.run} mutants killed{unfinished}, **{share:.1%}** (95% CI "
        f"{low:.1%}–{high:.1%}); {', '.join(details)}; the room has {score.mutants:,} mutants."
    )
