"""What a teacher can limit: how long a run takes, how many runs a visitor may queue, how much disk space stays free."""

import math
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from viz_core.records import Failure
from viz_core.variables import RUN_MINUTES, RUNS_FREE_MB, RUNS_PER_VISITOR

_MB = 1_000_000


@dataclass(frozen=True)
class Limits:
    """stop_seconds: how long a run may take to stop after a stop request, before it is killed."""

    longest_minutes: float = 60
    most_queued_per_owner: int = 3
    least_free_bytes: int = 500 * _MB
    stop_seconds: float = 60


def read_limits() -> Limits:
    """The limits of the environment, else the defaults. Raises Failure, naming an unusable variable."""
    default = Limits()
    return Limits(
        _read_number(RUN_MINUTES, default.longest_minutes, least=1 / 60),
        int(_read_number(RUNS_PER_VISITOR, default.most_queued_per_owner, least=1)),
        int(_read_number(RUNS_FREE_MB, default.least_free_bytes / _MB) * _MB),
    )


def limits_from_json(entry: object) -> Limits:
    """The limits in an entry of a request; missing or unusable ones take their defaults."""
    numbers = entry if isinstance(entry, dict) else {}
    return Limits(
        **{
            name: numbers[name] if isinstance(numbers.get(name), (int, float)) else default
            for name, default in vars(Limits()).items()
        }
    )


def check_queue_limit(waiting: int, limits: Limits) -> None:
    """Raises Failure if an owner with this many queued runs may not add another."""
    if waiting >= limits.most_queued_per_owner:
        raise Failure("jobs.too_many", count=waiting, most=limits.most_queued_per_owner, variable=RUNS_PER_VISITOR)


def check_free_space(folder: Path, limits: Limits) -> None:
    """Raises Failure if the disk has less free space than must remain."""
    free = shutil.disk_usage(folder).free
    if free < limits.least_free_bytes:
        raise Failure(
            "jobs.no_room",
            free=free // _MB,
            least=limits.least_free_bytes // _MB,
            folder=str(folder),
            variable=RUNS_FREE_MB,
        )


def _read_number(variable: str, default: float, least: float = 0) -> float:
    text = os.environ.get(variable, "").strip()
    if not text:
        return default
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or number < least:
        raise Failure("jobs.bad_limit", variable=variable, value=text, usual=f"{default:g}")
    return number
