"""How long a run takes from its start to its first step.

It loads the libraries, and reads and tokenises the corpus.
"""

from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from statistics import median

from viz_core.jobs.runs import Run
from viz_core.training.snapshots import snapshot_file

DEFAULT = 20.0  # seconds on a busy machine; an idle one takes a third of it
_MOST = 10  # only so many of the newest runs count, since corpora and machines change


def start_seconds(run: Run) -> float | None:
    """Seconds from the start of a run to its first snapshot, taken right before the first step.

    None if the run was resumed, tracks no input or has not got there.
    """
    if run.status.started is None or run.status.attempt > 1:
        return None
    with suppress(OSError):
        return max(0.0, snapshot_file(run.path, 0, 0).stat().st_mtime - run.status.started)
    return None


def typical_start(newest_first: Iterable[Run]) -> float:
    """Median start time of the newest runs on this machine; `DEFAULT` if there are none."""
    measured = list(filter(None, map(start_seconds, islice(newest_first, _MOST))))
    return median(measured) if measured else DEFAULT
