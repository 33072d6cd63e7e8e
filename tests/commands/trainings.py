"""Trainings of a second or so by the command line, and the end of their processes."""

import time
from contextlib import suppress

from viz_core.jobs import processes, runs
from viz_core.jobs.executors import stop_process
from viz_core.jobs.state import read_status
from viz_core.jobs.worker_launch import WORKER_PID

TINY = (
    "--layers",
    "1",
    "--width",
    "16",
    "--heads",
    "2",
    "--feedforward",
    "16",
    "--epochs",
    "1",
    "--pretrain-epochs",
    "0",
    "--data",
    "sample",
    "--device",
    "cpu",
)
MINE = ("--task", "imdb", "--name", "mine", *TINY)


def end_processes(folder) -> None:
    """Kills the worker first, since it would record how the others ended."""
    with suppress(OSError, ValueError):
        pid = int((folder / WORKER_PID).read_text())
        processes.kill(pid, processes.identity(pid))
    for path in folder.glob("[!.]*"):
        stop_process(read_status(path).handle)


def wait_for(id: str, *states: str) -> runs.Run:
    deadline = time.monotonic() + 60
    while (run := runs.read(id)).status.state not in states:
        assert time.monotonic() < deadline and not run.is_over, run
        time.sleep(0.1)
    return run
