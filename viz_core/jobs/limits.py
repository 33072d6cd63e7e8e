"""What a teacher can limit: how long a run takes, how many a visitor has waiting, how much of the disk stays free."""

from __future__ import annotations

import math
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from viz_core.records import Failure

MINUTES, PER_VISITOR, FREE_MB = "VIZ_RUN_MINUTES", "VIZ_RUNS_PER_VISITOR", "VIZ_RUNS_FREE_MB"
_MB = 1_000_000


@dataclass(frozen=True)
class Limits:
    """stop_seconds: how long a run that was asked to stop may take to do so before it is ended."""

    longest_minutes: float = 60
    most_queued_per_owner: int = 3
    least_free_bytes: int = 500 * _MB
    stop_seconds: float = 60


def limits() -> Limits:
    """The limits of the environment. Raises Failure, naming the variable, where one is no usable number."""
    usual = Limits()
    return Limits(
        _number(MINUTES, usual.longest_minutes, least=1 / 60),
        int(_number(PER_VISITOR, usual.most_queued_per_owner, least=1)),
        int(_number(FREE_MB, usual.least_free_bytes / _MB) * _MB),
    )


def limits_from(entry: object) -> Limits:
    """The limits that an entry of a request says; the usual ones where it does not."""
    numbers = entry if isinstance(entry, dict) else {}
    return Limits(
        **{
            name: numbers[name] if isinstance(numbers.get(name), (int, float)) else usual
            for name, usual in vars(Limits()).items()
        }
    )


def refuse_more(waiting: int, limit: Limits) -> None:
    """Raises Failure where an owner with this many runs in the queue may not add one."""
    if waiting >= limit.most_queued_per_owner:
        raise Failure("jobs.too_many", count=waiting, most=limit.most_queued_per_owner, variable=PER_VISITOR)


def refuse_full_disk(folder: Path, limit: Limits) -> None:
    """Raises Failure where the disk has less room left than must stay free."""
    free = shutil.disk_usage(folder).free
    if free < limit.least_free_bytes:
        raise Failure(
            "jobs.no_room", free=free // _MB, least=limit.least_free_bytes // _MB, folder=str(folder), variable=FREE_MB
        )


def _number(variable: str, usual: float, least: float = 0) -> float:
    given = os.environ.get(variable, "").strip()
    if not given:
        return usual
    try:
        number = float(given)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or number < least:
        raise Failure("jobs.bad_limit", variable=variable, value=given, usual=f"{usual:g}")
    return number
