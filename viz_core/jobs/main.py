"""The process of a run, `python -m viz_core.jobs.main RUN_FOLDER`: carries out the folder's job.

The status says that the run has begun before the job is imported. Whatever ends the job, be it an
import, becomes the reason in the status; its traceback is in the log. On several GPUs, or machines
that share the folder: `torchrun --nproc-per-node 2 -m viz_core.jobs.main RUN_FOLDER`.
"""

import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from viz_core.jobs.reporter import Reporter
from viz_core.jobs.request import JOBS, Request, read_request
from viz_core.jobs.stop_requests import request_stop
from viz_core.log import set_up_log
from viz_core.records import Failure
from viz_core.variables import RUN_HANDLE

Job = Callable[[Reporter, Request], None]  # ends with `mark_finished` or `mark_stopped`, or raises


def carry_out(folder: Path) -> None:
    """Carry out the job of a run folder, or resume it.

    An error of the job is raised again, once the status records it.
    """
    if os.environ.get(RUN_HANDLE):  # somebody else's cluster may end it, and gives it time to save a checkpoint
        signal.signal(signal.SIGTERM, lambda *_: request_stop(folder))
    is_first = not int(os.environ.get("RANK", 0))  # only the first process that torchrun has started reports
    with Reporter(folder, reports=is_first) as reporter:
        request = read_request(folder)
        find_job(request.kind)(reporter, request)


def find_job(kind: str | None) -> Job:
    """The job for a kind of request.

    Raises:
        Failure: If there is none.
    """
    if kind not in JOBS:
        raise Failure("jobs.no_job", kind=str(kind), known=list(JOBS))
    module, _, name = JOBS[kind].partition(":")
    return getattr(import_module(module), name)


if __name__ == "__main__":
    set_up_log(Path(sys.argv[1]).name)
    carry_out(Path(sys.argv[1]))
